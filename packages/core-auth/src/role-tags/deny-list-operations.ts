/** Barring role tags from logins (DENY-3, DENY-4, DENY-1, WIRE-8, TAG-4, DENY-2). */
import { decodeBase64, decodeBase64Url, decodeUtf8, formatRfc3339 } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { keysOutput } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type OperationRequest } from '../operation.js';
import { refuse } from '../refuse.js';
import { entryLifetimeSeconds, tokenLimits } from '../roles/terms.js';
import { removeRecord, runOptimistic, unchanged } from '../store/collection.js';
import { keysOutcome, listIds, pageFields } from '../store/list-page.js';
import { parseRoleTag, type UnverifiedRoleTag } from './role-tag.js';
import { digestRoleTag, verifyRoleTag } from './sign-role-tag.js';

type NoFields = Record<string, never>;
type Request = OperationRequest<NoFields>;

const noFields = z.object({});
const ITEM = {
  scope: 'mount',
  path: 'roletag-denylist/:role_tag*',
  aliases: ['roletag-blacklist/:role_tag*'],
} as const;
const LIST = { scope: 'mount', path: 'roletag-denylist', aliases: ['roletag-blacklist'] } as const;

/** An entry past its expiration still bars its tag until tidying removes it: a tag itself never expires. */
export function createDenyListOperations(context: MethodContext) {
  const { collections } = context;
  return [
    defineOperation({
      ...ITEM,
      id: 'deny-list.write',
      summary: 'Bar a role tag from logins',
      verb: 'write',
      access: 'management',
      fields: noFields,
      handle: (request) => denyTag(context, request),
    }),
    defineOperation({
      ...ITEM,
      id: 'deny-list.read',
      summary: 'Read the deny-list entry of a role tag',
      verb: 'read',
      access: 'management',
      fields: noFields,
      output: z.object({ creation_time: z.string(), expiration_time: z.string() }),
      async handle(request) {
        const named = await nameTag(context, request);
        const entry = named && (await collections.denyList.get(named.id, request));
        if (entry === undefined) throw new AuthError('not_found', 'the role tag is not on the deny list');
        const { createdAt, expiresAt } = entry.value;
        return { data: { creation_time: formatRfc3339(createdAt), expiration_time: formatRfc3339(expiresAt) } };
      },
    }),
    defineOperation({
      ...LIST,
      id: 'deny-list.list',
      summary: 'List the role tags on the deny list',
      verb: 'list',
      access: 'management',
      fields: pageFields,
      output: keysOutput,
      async handle(request) {
        const { after, limit } = request.fields;
        // Entries are in order of their digests: so are the pages.
        const position = after ? await digestRoleTag(context.ports.crypto, after) : undefined;
        const { ids, next } = await listIds(collections.denyList, { after: position, limit }, request);
        const entries = await collections.denyList.getMany(ids, request);
        return keysOutcome(
          entries.flatMap((entry) => (entry === undefined ? [] : [entry.value.tag])),
          request.fields,
          next,
        );
      },
    }),
    defineOperation({
      ...ITEM,
      id: 'deny-list.delete',
      summary: 'Take a role tag off the deny list',
      verb: 'delete',
      access: 'management',
      fields: noFields,
      async handle(request) {
        const named = await nameTag(context, request);
        if (named === undefined) return {};
        await removeRecord(collections.denyList, named.id, request);
        return {};
      },
    }),
  ];
}

/**
 * Only a tag that verifies is listed: the list cannot be filled with unusable texts. A tag that is listed again
 * keeps its creation time.
 */
async function denyTag(context: MethodContext, request: Request) {
  const { ports, collections, options } = context;
  const named = await nameTag(context, request);
  if (named === undefined) throw refuse('role_tag_invalid');
  const { id, unverified } = named;
  request.annotate({ role: unverified.claims.role });
  const role = (await collections.roles.get(unverified.claims.role, request))?.value;
  if (role === undefined) throw new AuthError('role_not_found', 'the role of the tag no longer exists');
  const verified = await verifyRoleTag(ports.crypto, role.hmacKey, unverified);
  if (verified === undefined) throw refuse('role_tag_invalid');

  const { tag, text } = verified;
  const lifetimeSeconds = entryLifetimeSeconds(tokenLimits(options, role.token, tag.maxTtlSeconds));
  return runOptimistic(async () => {
    const stored = await collections.denyList.get(id, request);
    const now = ports.clock.now();
    const expiresAt = now + lifetimeSeconds * 1000;
    const entry = { tag: text, createdAt: stored?.value.createdAt ?? now, expiresAt };
    await request.commit([collections.denyList.put(id, entry, unchanged(stored), expiresAt)]);
    return {};
  });
}

interface NamedTag {
  readonly id: string;
  readonly unverified: UnverifiedRoleTag;
}

/** The tag of the path. Audit events name it by its digest: its MAC is worth stealing. */
async function nameTag({ ports }: MethodContext, { params, annotate }: Request): Promise<NamedTag | undefined> {
  const unverified = parseTagPath(Object.hasOwn(params, 'role_tag') ? (params['role_tag'] ?? '') : '');
  if (unverified === undefined) return undefined;
  const id = await digestRoleTag(ports.crypto, unverified.text);
  annotate({ details: { role_tag: id } });
  return { id, unverified };
}

/** Characters: base64 of the longest tag, and no text that could be more. */
const MAX_PATH_CHARACTERS = 340;

/**
 * Reads raw text, standard base64 or URL-safe base64 (padded or not). A tag holds colons and base64 none, so a text is
 * only ever one of them, and what comes out of base64 is never decoded again.
 *
 * @param text the rest of the path, percent-decoded once.
 * @returns undefined where it is not a tag in its only spelling; nothing of that kind is ever on the list.
 */
export function parseTagPath(text: string): UnverifiedRoleTag | undefined {
  if (text.length > MAX_PATH_CHARACTERS) return undefined;
  if (text.includes(':')) return parseRoleTag(text);
  const bytes = decodeBase64(text) ?? decodeBase64Url(withoutPadding(text));
  const decoded = bytes === undefined ? undefined : decodeUtf8(bytes);
  return decoded === undefined ? undefined : parseRoleTag(decoded);
}

/** Many encoders pad the URL-safe alphabet too. */
function withoutPadding(text: string): string {
  if (text.length % 4 !== 0 || !text.endsWith('=')) return text;
  return text.slice(0, text.endsWith('==') ? -2 : -1);
}
