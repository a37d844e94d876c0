import { describeConformance } from './conformance.js';
import { openInProcess } from './in-process.js';

describeConformance('createHttpApp in this process', {
  profile: 'neutral',
  without: ['http-cloud'],
  open: () => openInProcess('neutral'),
});
