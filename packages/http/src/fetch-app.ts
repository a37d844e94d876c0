/** What every application of this package is: a function from requests to responses. */

/** @typeParam Info what the surroundings hand to `fetch` with a request: a socket, an environment. */
export interface HttpApp<Info> {
  /** Answers a request; never rejects. */
  fetch(request: Request, info: Info): Promise<Response>;
}
