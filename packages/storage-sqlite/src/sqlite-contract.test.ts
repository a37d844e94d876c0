import { storageContract } from '@postern/testkit';
import { describe, it } from 'vitest';
import { temporaryFolder } from '../test/temporary-folder.js';
import { openSqliteStorage } from './sqlite-storage.js';

describe('SQLite storage keeps the storage contract', () => {
  const create = async () => {
    const folder = temporaryFolder();
    const open = () => openSqliteStorage({ file: folder.path('postern.db') });
    let storage = await open();
    return {
      storage,
      reopen: async () => {
        await storage.close();
        storage = await open();
        return storage;
      },
      destroy: async () => {
        await storage.close();
        folder.remove();
      },
    };
  };
  // No `openAnother`: one process owns the file, and a second opening is refused.
  it.each(storageContract({ durable: true, create }))('$name', ({ run }) => run());
});
