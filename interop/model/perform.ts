/** Carries out commands of a run in a world, and says what came of them in the words of the model. */
import type { Answer, ResolvedCommand } from './answers.js';
import { nthFromLast } from './answers.js';
import type { RoleChange, TagWish, WorldCommand } from './commands.js';
import type { FaceAnswer, FaceCall } from './faces.js';
import { generatedNonce } from './model-login.js';
import { type ModelState, TAG_KEY } from './model-state.js';
import { type Door, documentOf, instanceId, madeIn, type World } from './world.js';

const GARBAGE = 'v1:AAECAwQFBgc=:r=dev:d=false:m=false:AAAA';
/** Of the shape of a tag, a token, an accessor; nobody made them. */
const NO_TAG = GARBAGE;
const NO_TOKEN = { text: `pst_${'A'.repeat(43)}`, accessor: '0'.repeat(40) };

/** Through one door. Background work of the command is over when it resolves. */
export async function perform(world: World, door: Door, command: ResolvedCommand): Promise<FaceAnswer> {
  const answer = await door.face(callOf(world, door, command));
  if (command.op === 'tidy') await door.method.settled();
  return answer;
}

function callOf({ names }: World, { root }: Door, command: ResolvedCommand): FaceCall {
  switch (command.op) {
    case 'role.write':
      return {
        operation: 'role.write',
        params: { role: command.role },
        fields: { auth_type: 'ec2', ...roleFields(command.change) },
        token: root,
      };
    case 'role.delete':
      return { operation: 'role.delete', params: { role: command.role }, token: root };
    case 'role.tag':
      return { operation: 'role.tag', params: { role: command.role }, fields: tagFields(command.wish), token: root };
    case 'login': {
      const { role, instance, boot, nonce } = command;
      const text = nonce === undefined ? {} : { nonce: names.nonces.get(nonce) ?? nonce };
      return { operation: 'login', fields: { role, pkcs7: documentOf(instance, boot), ...text } };
    }
    case 'deny':
    case 'allow': {
      const operation = command.op === 'deny' ? 'deny-list.write' : 'deny-list.delete';
      return { operation, params: { role_tag: names.tags.get(command.tag) ?? NO_TAG }, token: root };
    }
    case 'forget':
      return { operation: 'access-list.delete', params: { instance_id: instanceId(command.instance) }, token: root };
    case 'tidy': {
      const operation = command.list === 'access' ? 'tidy.identity-accesslist' : 'tidy.roletag-denylist';
      const keep = command.list === 'access' ? { tidy_keep_existing_instances: command.keep } : {};
      return { operation, fields: { safety_buffer: command.buffer, ...keep }, token: root };
    }
    case 'token': {
      const { text, accessor } = names.tokens.get(command.token) ?? NO_TOKEN;
      const { act, increment } = command;
      const operation = `token.${act}`;
      const more = act.startsWith('renew') ? { increment } : {};
      if (act.endsWith('-self')) return { operation, fields: more, token: text };
      // A batch token has no accessor; an empty one would not be sent.
      const named = act.endsWith('-accessor') ? { accessor: accessor || NO_TOKEN.accessor } : { token: text };
      return { operation, fields: { ...named, ...more }, token: root };
    }
  }
}

function roleFields(change: RoleChange): Readonly<Record<string, unknown>> {
  return sent({
    bound_ami_id: change.imageId,
    allow_instance_migration: change.migration,
    disallow_reauthentication: change.disallow,
    role_tag: change.tagKey,
    token_ttl: change.ttl,
    token_max_ttl: change.maxTtl,
    token_explicit_max_ttl: change.explicitMaxTtl,
    token_period: change.period,
    token_num_uses: change.uses,
    token_type: change.type,
    token_policies: change.policies,
  });
}

function tagFields(wish: TagWish): Readonly<Record<string, unknown>> {
  return sent({
    policies: wish.policies,
    max_ttl: wish.maxTtl,
    allow_instance_migration: wish.migration,
    disallow_reauthentication: wish.disallow,
    instance_id: wish.instance === undefined ? undefined : instanceId(wish.instance),
  });
}

function sent(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Notes the names that a command made, and tells of its answer what the model tells. */
export function learn({ names }: World, command: ResolvedCommand, label: string, answer: FaceAnswer): Answer {
  const { code, data, auth } = answer;
  if (code !== 'ok') return { code };
  if (command.op === 'login' && auth !== undefined) {
    names.tokens.set(label, { text: auth.client_token, accessor: auth.accessor });
    const nonce = auth.metadata['nonce'];
    const word = nonce === undefined ? command.nonce : generatedNonce(label);
    if (nonce !== undefined) names.nonces.set(generatedNonce(label), nonce);
    if (word !== undefined) names.ownNonce.set(command.instance, word);
    return {
      code,
      policies: auth.policies,
      lease: auth.lease_duration,
      renewable: auth.renewable,
      type: auth.token_type,
      uses: auth.num_uses,
      generated: nonce !== undefined,
    };
  }
  if (command.op === 'role.tag') names.tags.set(label, String(data?.['tag_value']));
  if (command.op === 'tidy') return { code, started: answer.accepted === true };
  if (command.op !== 'token') return { code };
  if (auth !== undefined) return { code, lease: auth.lease_duration, policies: auth.policies };
  if (data === undefined) return { code };
  const {
    ttl,
    num_uses: uses,
    policies,
    type,
  } = data as Record<'ttl' | 'num_uses', number> & {
    readonly policies: readonly string[];
    readonly type: string;
  };
  return { code, ttl, uses, policies, type };
}

/** What happens around the method happens to the model alike. */
export function applyToWorld(world: World, command: WorldCommand): void {
  const tags = madeIn(world).tags;
  switch (command.op) {
    case 'advance':
      world.clock.advance(command.seconds * 1000);
      break;
    case 'power':
      world.instances[command.instance]?.setState(command.running ? 'running' : 'stopped');
      break;
    case 'carry': {
      const word = carriedWord(command, tags);
      const text = word === 'garbage' ? GARBAGE : world.names.tags.get(word);
      world.instances[command.instance]?.setTags(text === undefined ? {} : { [TAG_KEY]: text });
      break;
    }
  }
}

export function applyToModel(state: ModelState, command: WorldCommand, tags: readonly string[]): ModelState {
  switch (command.op) {
    case 'advance':
      return { ...state, now: state.now + command.seconds * 1000 };
    case 'power':
      return { ...state, running: { ...state.running, [command.instance]: command.running } };
    case 'carry':
      return { ...state, carried: { ...state.carried, [command.instance]: carriedWord(command, tags) } };
  }
}

/** What the model knows the tag of an instance by; empty where it has none. */
function carriedWord({ tag }: Extract<WorldCommand, { op: 'carry' }>, tags: readonly string[]): string {
  if (tag === 'nothing') return '';
  if (tag === 'garbage') return 'garbage';
  return tags.length === 0 ? '' : nthFromLast(tags, tag);
}
