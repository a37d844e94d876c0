/** What tests of Postern, and of programs that embed it, stand on: contract suites, clocks, faults. */
export { createManualClock, type ManualClock } from './clock/manual-clock.js';
export { sharedFolder } from './shared-folder.js';
