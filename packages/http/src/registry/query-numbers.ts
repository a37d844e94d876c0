/** Numbers in a query. */

/** Undefined where it was not sent. What is no plain number becomes NaN, which the registry refuses by name. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
