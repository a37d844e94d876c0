/**
 * `POST …/:module_provider/deprecations`: deprecates every version that a constraint matches, or with `dry-run` lists them.
 * A Postern extension; the document is that of a PATCH with `range`, `include-prereleases` and `dry-run` beside it.
 */
import type { RangeInput, RangeOutcome } from '@postern/core-registry';
import { type Handler, json, moduleOf } from './exchange.js';
import { fromDocument } from './problem.js';
import { attributesOf, member, readJsonApi } from './representation.js';
import { deprecationInputOf, deprecationPointer, unchecked } from './version-commands.js';

export const deprecateRange: Handler = async (exchange) => {
  const read = async () => rangeInputOf(await readJsonApi(exchange));
  const outcome = exchange.session.deprecateRange(moduleOf(exchange), read);
  return json(200, rangeDocument(await fromDocument(outcome, deprecationPointer)));
};

function rangeInputOf(document: unknown): RangeInput {
  const attributes = attributesOf(document, 'deprecations');
  const dryRun = member(attributes, 'dry-run');
  return unchecked<RangeInput>({
    ...deprecationInputOf(attributes),
    range: member(attributes, 'range'),
    includePrereleases: member(attributes, 'include-prereleases'),
    dryRun: dryRun === undefined ? false : dryRun,
  });
}

/** One resource a version, oldest first; `meta.complete` is false where a later version failed after others were changed. */
function rangeDocument({ module, range, dryRun, complete, changes }: RangeOutcome): unknown {
  const { namespace, name, provider } = module;
  return {
    data: changes.map(({ version, ...change }) => ({
      type: 'module-versions',
      id: `${namespace}/${name}/${provider}/${version}`,
      attributes: { version, ...change },
    })),
    meta: { range, 'dry-run': dryRun, complete, total: changes.length },
  };
}
