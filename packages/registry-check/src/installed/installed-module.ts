/** One module call as a working directory has it installed, before anything of it is trusted. */

export interface InstalledModule {
  /** Names of the calls that lead to it, joined by dots: `net.subnets`. Of `terraform modules -json` only the last name. */
  readonly key: string;
  /** As in the manifest: `registry.acme.example/acme/network/aws//modules/subnets`, `./local`, `git::https://…`. */
  readonly source: string;
  /** Undefined for whatever is not of a registry. */
  readonly version: string | undefined;
}

/** What is not there, or cannot be read. The message names the file and what to do, and nothing of its content. */
export class InstalledModulesError extends Error {
  override readonly name = 'InstalledModulesError';
  readonly code: 'not_installed' | 'manifest_unreadable' | 'manifest_invalid';

  constructor(code: InstalledModulesError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
