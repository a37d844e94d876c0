/** What every list answers: `data.keys` (WIRE-10). An empty list is no answer but 404. */
import { z } from 'zod';

export const keysOutput = z.object({ keys: z.array(z.string()) });
