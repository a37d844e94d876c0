import { defineConfig } from 'vitest/config';
import { alias } from './vitest.shared.js';

/** `npm run chaos`: as long as its caller says, so no time of its own ends it. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['interop/chaos/*.chaos.ts'],
    testTimeout: 0,
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
