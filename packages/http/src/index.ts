/** Postern as one web-standard HTTP application: the auth method, the registry and its page over one router. */
export * from './auth.js';
export { createHttpApp, type HttpAppOptions } from './http-app.js';
export * from './page.js';
export * from './registry.js';
