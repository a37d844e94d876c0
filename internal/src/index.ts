/** What the tests of this repository share: mutators, child processes, published vectors. Not published. */
export {
  allNodes,
  type BerNode,
  childrenOf,
  constructed,
  nodeAt,
  primitive,
  readBer,
  tlv,
  writeBer,
} from './ber/ber-tree.js';
export { createDice, type Dice } from './ber/dice.js';
export { mutateBer } from './ber/mutate-ber.js';
export { mutateBytes } from './ber/mutate-bytes.js';
export { type MisleadingAnswer, misleadingAnswers } from './misleading-answers.js';
export { type Child, startChild } from './process/start-child.js';
export * from './server/postern-process.js';
export * from './server/site.js';
export { sharedFolder } from './shared-folder.js';
export { wycheproofCases } from './wycheproof/wycheproof-cases.js';
