/** A health check without look-ups; a server asks its storage instead. */
export const health = () => ({ storageReachable: true, version: '1', serverTime: Date.now() });
