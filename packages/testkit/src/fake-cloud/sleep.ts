/** Waiting in real time, for a cloud that was given no sleep of its own. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Sleep } from './behaviour.js';

export const abortableSleep: Sleep = async (milliseconds, signal) => {
  await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
};
