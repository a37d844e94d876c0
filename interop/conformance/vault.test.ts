import { describeConformance } from './conformance.js';
import { startServer } from './server.js';

describeConformance('postern serve, vault profile', { profile: 'vault', open: () => startServer('vault') });
