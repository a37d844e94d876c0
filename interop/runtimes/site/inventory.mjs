/** Stands for what a service knows of its machines. The test writes cloud.json: instances of a fake cloud and its certificates. */
import cloud from './cloud.json' with { type: 'json' };

export const { certificate, certificates } = cloud;

/** @param {{ instanceId: string }} query */
export async function describeInstance({ instanceId }) {
  // As long as a network call: several logins wait here at once, each in a request of its own.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return cloud.instances.find((each) => each.instanceId === instanceId);
}
