/** Storage on one DynamoDB table, for any number of nodes. */
export { openDynamoDump } from './dump.js';
export { openDynamoStorage } from './dynamo-storage.js';
export { DynamoOpenError, type DynamoOpenErrorCode, isDynamoOpenError } from './open-error.js';
export type { DynamoStorageOptions } from './options.js';
export { createDynamoTable, type DynamoTableOptions } from './table.js';
