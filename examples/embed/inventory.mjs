/** Stands for what a service knows of its machines already: a table in its database, an inventory, a cluster's API. */

/**
 * By instance id. An instance that is not in it is not there.
 *
 * @type {Map<string, import('@postern/ports').InstanceFacts>}
 */
export const inventory = new Map();
