/** The conformance suite as a library: the cases, and a runner for any transport. */
export {
  type Capability,
  type Case,
  type ExpectedAnswer,
  type RequestStep,
  readCases,
  readPolicies,
  type Step,
} from './case-file.js';
export { createSimulatedCloud, type SimulatedCloud } from './cloud/simulated-cloud.js';
export { expectedAnswer } from './expectation.js';
export { PROFILES, type Profile, type ProfileName } from './profile.js';
export { json, junit, summary, table } from './report.js';
export { type Result, type RunOptions, runCases, type Selection, selectCases } from './run-cases.js';
export type { Target, Transport } from './target.js';
