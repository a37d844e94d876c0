/** What a program on an instance has to do: keep a nonce, stay logged in, ask for the token when it needs one. */
import { collectInstanceEvidence, createPosternClient, fileNonceStore, keepLoggedIn } from '@postern/client';

/** @param {{ url: string, metadata?: string, log: (line: string) => void }} place */
export function startWorker({ url, metadata, log }) {
  const client = createPosternClient({ url });
  // On the disk of the instance, so that a restart finds it again.
  const nonces = fileNonceStore('./postern-data/nonces');
  const evidence = () => collectInstanceEvidence(metadata === undefined ? {} : { endpoint: metadata });
  const session = keepLoggedIn(
    client,
    (_, { signal }) => client.loginWithInstance({ role: 'web', nonces, evidence, signal }),
    {
      onToken: ({ policies, ttlSeconds }, by) => log(`${by}: ${policies.join(', ')} for ${ttlSeconds} s`),
      onError: (error) => log(`failed: ${error}`),
      revokeAtEnd: true,
    },
  );
  return { client, session };
}
