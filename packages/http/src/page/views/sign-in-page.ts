/** Where a visitor without a valid token ends up, wherever they wanted to go (PAGE-5). */
import { type Html, html } from '../html/html.js';
import type { Visit } from '../visit.js';
import { document } from './document.js';

export interface SignInPage {
  /** Where to go afterwards. */
  readonly next: string;
  /** Why the form is shown again. */
  readonly problem?: string | undefined;
  /**
   * Whether another site led here: its links carry no strict cookie, so one who is signed in looks as if they were not,
   * until they follow a link of ours.
   */
  readonly fromOutside?: boolean;
}

export function signInPage(visit: Pick<Visit, 'site'>, { next, problem, fromOutside = false }: SignInPage): Html {
  const { site } = visit;
  const body = html`<div class="stack">
<div class="tight"><h1>Sign in</h1><p class="lead">This registry is private. Sign in with a registry token.</p></div>
${fromOutside && html`<p>Already signed in? <a href="${next}">Continue to the page</a></p>`}
<form class="card stack" method="post" action="${site.signInPath}">
<input type="hidden" name="next" value="${next}">
<div class="field ${problem !== undefined && 'wrong'}"><label for="token">Token</label>
<p class="hint" id="token-hint">The token that your Terraform or OpenTofu configuration uses for this registry.</p>
${problem !== undefined && html`<p class="problem" id="token-problem">${problem}</p>`}
<input id="token" name="token" type="password" autocomplete="current-password" required spellcheck="false" aria-describedby="token-hint${
    problem !== undefined && ' token-problem'
  }"${problem !== undefined && html` aria-invalid="true"`}></div>
<div class="buttons"><button>Sign in</button></div></form></div>`;
  const title = problem === undefined ? 'Sign in' : 'Error: Sign in';
  return document({ site, session: undefined }, { title, body, narrow: true });
}
