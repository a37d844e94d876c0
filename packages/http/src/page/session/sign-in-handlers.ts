/** Signing in with a registry token, and out again. */
import { typedText } from '../form-body.js';
import type { Handler, PageContext } from '../page-context.js';
import { needsSignIn } from '../read-handlers.js';
import { signInPage } from '../views/sign-in-page.js';
import { isOwnForm, sameSecret } from './form-guard.js';
import { returnPath } from './return-path.js';
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
    if (session !== undefined && !sameSecret(form.fields.get('form_secret') ?? '', session.formSecret)) {
      return exchange.refuse('foreign_form');
    }
    exchange.addCookie(sessionToForget(visit.origin));
    return exchange.redirect(site.signInPath);
  };

  return { show, signIn, signOut };
}
