/**
 * A provider for `postern serve`: instances stand in an inventory file, which is read at each question. What your own
 * would ask instead: the API of your cloud, a cluster, a table.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProviderError } from '@postern/ports';

/** @typedef {{ inventory: string, certificates?: string }} Options `provider.options`, paths relative to the configuration */
/** @typedef {{ id: string, account: string, region: string, state: string, image?: string }} Machine */

/** @param {import('@postern/server').ProviderContext} context @returns {import('@postern/server').Provider} */
export function createProvider({ options, directory }) {
  const { inventory, certificates } = checked(options);
  const file = resolve(directory, inventory);
  return {
    async describeInstance({ accountId, region, instanceId }) {
      const machines = await readInventory(file);
      const found = machines.find(({ id, account }) => id === instanceId && account === accountId);
      // "There is none" is a value. Only "could not find out" is thrown.
      if (found === undefined || found.region !== region) return undefined;
      return {
        instanceId,
        accountId,
        region,
        state: found.state,
        imageId: found.image,
        vpcId: undefined,
        subnetId: undefined,
        instanceProfileArn: undefined,
        tags: new Map(),
      };
    },
    // No role of ours is bound to instance profiles or principals: nobody is there to be found.
    rolesOfProfile: async () => undefined,
    describePrincipal: async () => undefined,
    // Without this member the certificates of AWS are trusted.
    ...(certificates === undefined
      ? {}
      : { builtInCertificates: JSON.parse(readFileSync(resolve(directory, certificates), 'utf8')) }),
  };
}

/** @param {string} file @returns {Promise<Machine[]>} */
async function readInventory(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    // Never a denial: the caller can retry when the file is back.
    throw new ProviderError('unavailable', 'the inventory cannot be read', { retryAfterSeconds: 5, cause });
  }
}

/** @param {unknown} options @returns {Options} */
function checked(options) {
  const { inventory, certificates } = /** @type {Partial<Options>} */ (options ?? {});
  if (typeof inventory !== 'string') throw new TypeError('provider.options.inventory: the path of the inventory file');
  return { inventory, ...(certificates === undefined ? {} : { certificates }) };
}
