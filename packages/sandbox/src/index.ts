/** A real server with a simulated AWS around it, and a guided tour through its HTTP API. */
export { runSandbox, type SandboxOptions } from './sandbox.js';
