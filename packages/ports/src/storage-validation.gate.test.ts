import { expect, it, vi } from 'vitest';
import { StorageGate } from './storage-validation.js';

const thrown = (call: () => unknown) => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

it('ends the storage once, after the work under way, whatever becomes of it', async () => {
  const gate = new StorageGate();
  const end = vi.fn();
  let fail: (reason: Error) => void = () => undefined;
  const failing = gate.follow(new Promise((_resolve, reject) => (fail = reject)));
  const closing = gate.close(end);
  expect(gate.close(end)).toBe(closing);
  await new Promise((resolve) => setImmediate(resolve));
  expect(end).not.toHaveBeenCalled();
  fail(new Error('lost'));
  await expect(failing).rejects.toThrow('lost');
  await closing;
  expect(end).toHaveBeenCalledTimes(1);
});

it('ends a storage without work under way before close returns', () => {
  const end = vi.fn();
  void new StorageGate().close(end);
  expect(end).toHaveBeenCalledTimes(1);
});

it('refuses a call for being late before its arguments, and for its arguments before its signal', async () => {
  const gate = new StorageGate();
  const aborted = { signal: AbortSignal.abort() };
  const refuse = () => {
    throw new Error('malformed');
  };
  expect(thrown(() => gate.admit(aborted, refuse))).toMatchObject({ message: 'malformed' });
  expect(thrown(() => gate.admit(aborted, () => undefined))).toMatchObject({ code: 'aborted' });
  expect(thrown(() => gate.admit(undefined, () => undefined))).toBeUndefined();
  await gate.close(() => undefined);
  expect(thrown(() => gate.admit(aborted, refuse))).toMatchObject({ code: 'closed' });
});
