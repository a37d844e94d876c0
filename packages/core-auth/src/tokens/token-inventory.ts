/**
 * Which tokens there are, and ending many at once (TOKEN-13, TOKEN-14). Both walk the stored tokens in pages by accessor, so
 * that a call is bounded and the next goes on where it ended.
 */
import type { CallOptions } from '@postern/ports';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { booleanField, described, foldRoleName, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import type { Entry } from '../store/collection.js';
import { MAX_LISTED, type PageFields, pageFields, pageLimit } from '../store/list-page.js';
import type { TokenRecord } from './token-record.js';

const PAGE = 500;
/** Deletions in a commit: what every storage takes. */
const BATCH = 20;

const revokeFields = z.object({
  role: described(textField, 'Tokens that logins against this role issued.'),
  instance_id: described(textField, 'Tokens that logins of this instance issued, inferred ones too.'),
  entity_id: described(textField, 'Tokens of this entity.'),
  display_name_prefix: described(textField, 'Tokens whose display name begins so.'),
  dry_run: described(booleanField, 'Count only.'),
  after: pageFields.shape.after.meta({ description: 'Go on after this accessor.' }),
  limit: pageFields.shape.limit.meta({ description: `Tokens to look at, at most ${MAX_LISTED}.` }),
});

type Selection = Pick<z.output<typeof revokeFields>, 'role' | 'instance_id' | 'entity_id' | 'display_name_prefix'>;

const keyInfo = z.object({
  display_name: z.string(),
  policies: z.array(z.string()),
  path: z.string(),
  role: z.string(),
  expire_time: z.number().nullable().meta({ description: 'seconds since 1970' }),
});

export function createTokenInventory(context: MethodContext) {
  const { ports, collections } = context;

  /** Living tokens in order of their accessors, at most `most` records. */
  async function walk(
    request: CallOptions & { readonly fields: PageFields },
    visit: (page: readonly Entry<TokenRecord>[]) => Promise<void>,
  ): Promise<{ examined: number; next: string | undefined }> {
    const most = pageLimit(request.fields);
    let examined = 0;
    let next = request.fields.after || undefined;
    do {
      const size = Math.min(PAGE, most - examined);
      const page = await collections.tokens.ids({ after: next, limit: size }, request);
      const now = ports.clock.now();
      const entries = await collections.tokens.getMany(page.ids, request);
      const found = entries.filter((entry) => entry !== undefined);
      await visit(found.filter(({ value }) => value.expiresAt === undefined || value.expiresAt > now));
      examined += page.ids.length;
      next = page.next;
    } while (next !== undefined && examined < most);
    return { examined, next };
  }

  return [
    defineOperation({
      id: 'token.list',
      summary: 'List the accessors of tokens, root tokens among them',
      verb: 'list',
      scope: 'token',
      path: 'accessors',
      access: 'management',
      fields: pageFields,
      output: z.object({ keys: z.array(z.string()), key_info: z.record(z.string(), keyInfo) }),
      async handle(request) {
        const entries: Entry<TokenRecord>[] = [];
        const { next } = await walk(request, async (page) => void entries.push(...page));
        return {
          data: {
            keys: entries.map(({ id }) => id),
            key_info: Object.fromEntries(entries.map(({ id, value }) => [id, infoOf(value)])),
          },
          ...(next === undefined ? {} : { warnings: [`there are more tokens; list again with after=${next}`] }),
        };
      },
    }),
    defineOperation({
      id: 'token.revoke-matching',
      summary: 'Revoke every token of a role, instance, entity or prefix of display name',
      verb: 'write',
      scope: 'token',
      path: 'revoke-matching',
      access: 'management',
      fields: revokeFields,
      output: z.object({ revoked: z.int(), examined: z.int(), next: z.string().nullable() }),
      async handle(request) {
        const matches = matcherOf(request.fields);
        const isDry = request.fields.dry_run === true;
        let revoked = 0;
        const { examined, next } = await walk(request, async (page) => {
          const doomed = page.filter(({ value }) => matches(value));
          for (let at = 0; at < doomed.length; at += BATCH) {
            const some = doomed.slice(at, at + BATCH);
            const accessors = some.map(({ id }) => id).join(' ');
            if (!isDry) {
              // Whatever their versions: an accessor is never written again, and a condition would race every counted use.
              await request.commit(
                some.map(({ id }) => collections.tokens.delete(id, 'any')),
                { intent: true, facts: { details: { accessors } } },
              );
            }
            revoked += some.length;
          }
        });
        request.annotate({ details: { revoked: String(revoked), dry_run: String(isDry) } });
        return { data: { revoked, examined, next: next ?? null } };
      },
    }),
  ];
}

function infoOf({ displayName, policies, path, expiresAt, renewal }: TokenRecord): z.infer<typeof keyInfo> {
  return {
    display_name: displayName,
    policies: [...policies],
    path,
    role: renewal === undefined || renewal.authType === 'token' ? '' : renewal.role,
    expire_time: expiresAt === undefined ? null : Math.floor(expiresAt / 1000),
  };
}

/** All that is named must match. @throws AuthError `field_missing` where nothing is: that would be every token. */
function matcherOf(selection: Selection): (record: TokenRecord) => boolean {
  const { role, instance_id: instance, entity_id: entity, display_name_prefix: prefix } = selection;
  if (!role && !instance && !entity && !prefix) {
    const names = 'role, instance_id, entity_id or display_name_prefix';
    throw new AuthError('field_missing', `${names}: one is required`, { details: { field: 'role' } });
  }
  return ({ renewal, entityId, displayName }) => {
    const facts = renewal?.authType === 'token' ? undefined : renewal;
    const instanceOf = facts?.authType === 'ec2' ? facts.instanceId : facts?.inferredEntityId;
    return (
      (!role || facts?.role === foldRoleName(role)) &&
      (!instance || instanceOf === instance) &&
      (!entity || entityId === entity) &&
      (!prefix || displayName.startsWith(prefix))
    );
  };
}
