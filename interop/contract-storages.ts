/** What the storage contract asks for, each case in a schema or a table of its own. */
import type { Storage } from '@postern/ports';

/**
 * @param open called when the case runs, with a name of its own, and again for its second handle.
 * @param make called once before the first opening, where that makes nothing itself.
 */
export function contractStorages(
  open: (name: string) => Promise<Storage>,
  make: (name: string) => Promise<unknown> = async () => undefined,
) {
  let cases = 0;
  // The cases run one after the other: the last name is that of the case.
  const openAnother = () => open(`case_${cases}`);
  return {
    create: async () => {
      cases += 1;
      await make(`case_${cases}`);
      let storage = await openAnother();
      return {
        storage,
        reopen: async () => {
          await storage.close();
          storage = await openAnother();
          return storage;
        },
        destroy: () => storage.close(),
      };
    },
    openAnother,
  };
}
