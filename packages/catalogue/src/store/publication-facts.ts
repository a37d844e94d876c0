/** What a publisher says beside the archive: owner, description and source, shown on pages and in answers. */
import { ModuleArchiveError, type ModulePublication } from '@postern/ports';

export interface PublicationFacts {
  readonly owner: string;
  readonly description: string;
  readonly source: string;
}

const MAX_OWNER_CHARACTERS = 200;
const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_SOURCE_CHARACTERS = 2_000;

/** Terminals and pages obey these. Tab and newline are text. */
const INVISIBLE = /[\p{Cs}\p{Cf}\p{Zl}\p{Zp}]|(?![\t\n])\p{Cc}/u;

/** @throws ModuleArchiveError `publication_invalid`. */
export function checkFacts(publication: Pick<ModulePublication, 'owner' | 'description' | 'source'>): PublicationFacts {
  const { owner, description = '', source = '' } = publication;
  if (owner === '' || owner.length > MAX_OWNER_CHARACTERS || INVISIBLE.test(owner) || /[\t\n]/.test(owner)) {
    throw invalid(`the owner has 1 to ${MAX_OWNER_CHARACTERS} characters on one line, none of them invisible`);
  }
  if (description.length > MAX_DESCRIPTION_CHARACTERS || INVISIBLE.test(description)) {
    throw invalid(`the description has at most ${MAX_DESCRIPTION_CHARACTERS} characters, none of them invisible`);
  }
  if (source !== '' && !isSource(source)) {
    throw invalid(
      `the source is an http or https URL of at most ${MAX_SOURCE_CHARACTERS} characters, without a password`,
    );
  }
  return { owner, description, source };
}

/** A password in it would be shown to every reader. Blanks and controls are dropped by URL, so they are looked for first. */
function isSource(text: string): boolean {
  if (text.length > MAX_SOURCE_CHARACTERS || /[\s\p{C}]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

const invalid = (message: string) => new ModuleArchiveError('publication_invalid', message);
