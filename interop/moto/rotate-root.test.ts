/** Rotate-root against moto, which allows two keys a user as AWS does (ROTATE-5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MotoAccount, type MotoCloud, OWN, REGION, startMotoCloud } from './moto-cloud.js';
import { createPosternOnMoto } from './postern-on-moto.js';

let moto: MotoCloud;
let own: MotoAccount;
beforeAll(async () => {
  moto = await startMotoCloud();
  own = await moto.account(OWN);
});
afterAll(() => moto?.stop());

describe('rotate-root', () => {
  it('leaves one new key, which works, and the old one is gone', async () => {
    await own.createUser('root-one');
    const first = await own.createKey('root-one');
    const postern = await createPosternOnMoto(moto, first);
    const { data } = await postern.call('config.rotate-root');
    const newId = String(data?.['access_key']);
    expect(newId).not.toBe(first.accessKeyId);
    expect(await own.keysOf('root-one')).toEqual([newId]);
    expect((await postern.call('config.client.read')).data?.['access_key']).toBe(newId);

    const [instance] = await own.run();
    const query = { accountId: OWN, region: REGION, instanceId: instance?.InstanceId ?? '' };
    expect((await postern.provider.describeInstance(query))?.state).toBe('running');
    const again = await postern.call('config.rotate-root');
    expect(await own.keysOf('root-one')).toEqual([again.data?.['access_key']]);
    await postern.close();
  });

  it('is refused where the user has two keys already, and changes nothing', async () => {
    await own.createUser('root-two');
    const first = await own.createKey('root-two');
    const second = await own.createKey('root-two');
    const postern = await createPosternOnMoto(moto, first);
    await expect(postern.call('config.rotate-root')).rejects.toMatchObject({ code: 'rotation_key_limit' });
    expect((await postern.call('config.client.read')).data?.['access_key']).toBe(first.accessKeyId);
    expect((await own.keysOf('root-two')).toSorted()).toEqual([first.accessKeyId, second.accessKeyId].toSorted());
    await postern.close();
  });

  it('meets the limit of the provider itself as none made', async () => {
    await own.createUser('root-three');
    const first = await own.createKey('root-three');
    await own.createKey('root-three');
    const postern = await createPosternOnMoto(moto, first);
    expect(await postern.provider.accessKeys.create(first)).toBeUndefined();
    await postern.close();
  });

  it('of two at the same time lets one through', async () => {
    await own.createUser('root-four');
    const postern = await createPosternOnMoto(moto, await own.createKey('root-four'));
    const outcomes = await Promise.allSettled([postern.call('config.rotate-root'), postern.call('config.rotate-root')]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ code: 'rotation_in_progress' }) }),
    ]);
    expect(await own.keysOf('root-four')).toEqual([(await postern.call('config.client.read')).data?.['access_key']]);
    await postern.close();
  });

  it('lists, proves and deletes the keys of the signing user', async () => {
    await own.createUser('root-five');
    const first = await own.createKey('root-five');
    const postern = await createPosternOnMoto(moto, first);
    const { accessKeys } = postern.provider;
    const second = await accessKeys.create(first);
    if (second === undefined) throw new Error('no second key was made');
    expect(await accessKeys.prove(second)).toBe(true);
    expect((await accessKeys.list(second)).toSorted()).toEqual([first.accessKeyId, second.accessKeyId].toSorted());
    await accessKeys.delete(second, first.accessKeyId);
    await accessKeys.delete(second, first.accessKeyId);
    expect(await own.keysOf('root-five')).toEqual([second.accessKeyId]);
    await postern.close();
  });
});
