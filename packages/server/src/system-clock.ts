/** The machine's clock as the Clock port. */
import type { Clock } from '@postern/ports';

export const systemClock: Clock = { now: () => Date.now() };
