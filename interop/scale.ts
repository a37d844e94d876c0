/** How long the long suites run: `INTEROP_SCALE=full npm run interop` makes all of their inputs, runs and kills, else a fifth. */
export const IS_FULL = process.env['INTEROP_SCALE'] === 'full';

/** @param full of the long form. */
export function scaled(full: number): number {
  return IS_FULL ? full : Math.ceil(full / 5);
}
