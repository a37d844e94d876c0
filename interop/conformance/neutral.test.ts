import { describeConformance } from './conformance.js';
import { startServer } from './server.js';

describeConformance('postern serve, neutral profile', { profile: 'neutral', open: () => startServer('neutral') });
