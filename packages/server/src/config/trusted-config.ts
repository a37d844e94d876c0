/** The configuration as a server trusts it: nobody else may write the files and folders that it names. */
import { dirname, resolve } from 'node:path';
import type { Log } from '../log.js';
import { type Config, loadConfig } from './config.js';
import { checkPermissions, type TrustedPath } from './file-permissions.js';

/** At the start and at every reload. @throws ConfigError; StartError where every user may write what it trusts. */
export function loadTrusted(configFile: string, log: Log): Config {
  const config = loadConfig(configFile);
  for (const warning of checkPermissions(trustedFiles(config, configFile), trustedFolders(config)))
    log('warning', warning);
  return config;
}

function trustedFiles({ provider, directory }: Config, configFile: string): readonly TrustedPath[] {
  const module = provider && { setting: 'provider.module', path: resolve(directory, provider.module) };
  return [{ setting: '--config', path: resolve(configFile) }, ...(module === undefined ? [] : [module])];
}

function trustedFolders({ storage, audit, sealing, registry }: Config): readonly TrustedPath[] {
  const keyFiles = sealing === 'none' ? [] : sealing.flatMap(({ keyFile }) => keyFile ?? []);
  return [
    ...keyFiles.map((file) => ({ setting: 'sealing.keyFile', path: dirname(file) })),
    ...(registry?.archives === undefined ? [] : [{ setting: 'registry.archives', path: registry.archives }]),
    ...(storage.file === undefined ? [] : [{ setting: 'storage.file', path: dirname(storage.file) }]),
    ...audit.flatMap(({ file }) =>
      file === undefined || file === '-' ? [] : [{ setting: 'audit.file', path: dirname(file) }],
    ),
  ];
}
