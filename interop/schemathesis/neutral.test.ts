/** Requests that nobody here made up, from the served document: no 500, no status or answer that it does not describe. */
import { it } from 'vitest';
import { EXERCISE_TIMEOUT, exercise } from './exercise.js';

it('schemathesis finds nothing in the neutral profile', () => exercise('neutral'), EXERCISE_TIMEOUT);
