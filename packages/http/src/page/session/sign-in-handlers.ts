/** Signing in with a registry token, and out again. */
import { typedText } from '../form-body.js';
import { type Html, html } from '../html.js';
import type { Handler, PageContext } from '../page-context.js';
import { needsSignIn } from '../read-handlers.js';
import { document, type Visit } from '../views/document.js';
import { isOwnForm, returnPath } from './form-guard.js';
import { MAX_SESSION_CHARACTERS, sessionToForget, sessionToKeep } from './visitor-cookies.js';

export function createSignInHandlers({ registry, site, seal }: PageContext) {
  const show: Handler = async (exchange) => {
    const next = returnPath(exchange.query.get('next') ?? '', site.path);
    return exchange.page(signInPage(exchange.visit, { next }));
  };

  const signIn: Handler = async (exchange) => {
    const { request, visit } = exchange;
    // Or another site could sign the visitor in under a name that is not theirs.
    if (!isOwnForm(request.headers, visit.origin)) return exchange.refuse('foreign_form');
    const form = await exchange.readForm();
    if (!form.ok) return exchange.refuse(form.refusal);
    const next = returnPath(form.fields.get('next') ?? '', site.path);
    const again = (problem: string) => exchange.page(signInPage(visit, { next, problem }), 401);
    const token = typedText(form.fields, 'token');
    if (token === '') return again('Enter a token.');
    let caller: string;
    try {
      // The question is whose token it is; no organization has an empty name, so no right is asked about.
      ({ caller } = await registry.open({ ...visit.call, token }).access(''));
    } catch (error) {
      if (needsSignIn(error)) return again('This token is not valid.');
      throw error;
    }
    const sealed = await seal.start(token, caller);
    if (sealed.length > MAX_SESSION_CHARACTERS) return again('This token is too long to sign in with in a browser.');
    exchange.addCookie(sessionToKeep(visit.origin, sealed));
    return exchange.redirect(next);
  };

  const signOut: Handler = async (exchange) => {
    const { request, visit } = exchange;
    if (!isOwnForm(request.headers, visit.origin)) return exchange.refuse('foreign_form');
    const form = await exchange.readForm();
    if (!form.ok) return exchange.refuse(form.refusal);
    const { session } = visit;
    if (session?.holdsSecret(form.fields.get('form_secret') ?? '') === false) {
      return exchange.refuse('foreign_form');
    }
    exchange.addCookie(sessionToForget(visit.origin));
    return exchange.redirect(site.signInPath);
  };

  return { show, signIn, signOut };
}

/** Where a visitor without a valid token ends up, wherever they wanted to go (PAGE-5). */
export interface SignInPage {
  /** Where to go afterwards. */
  readonly next: string;
  /** Why the form is shown again. */
  readonly problem?: string | undefined;
  /**
   * Whether another site led here: its links carry no strict cookie, so one who is signed in looks as if they were not,
   * until they follow a link on this site.
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
