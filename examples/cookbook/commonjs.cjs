// #region commonjs
// Node 20.19 and 22.12 or newer load ES modules with require.
const { createAuthMethod, isAuthError } = require('@postern/core-auth');
const { createNodeCrypto } = require('@postern/crypto-node');
const { createMemoryStorage } = require('@postern/storage-memory');

/** @param {import('@postern/ports').Cloud} cloud */
function createMethod(cloud) {
  const audit = { record: () => undefined };
  return createAuthMethod({ storage: createMemoryStorage(), crypto: createNodeCrypto(), cloud, audit });
}

module.exports = { createMethod, isAuthError };
// #endregion
