/** What may be shown of an API key, so that people know which one it is. */
import { parseKeyText } from '../../shared/key-shape.ts';

/** Less of it left in the dark could be guessed. */
const hiddenUnitsMin = 20;
const endUnits = 4;

/** @returns such as `wfq_3f9a1b0c7d2e4…7c2d`; of a key of another kind its end alone, and of a short one nothing */
export function keyHint(apiKey: string): string {
  const parts = parseKeyText(apiKey);
  const end = apiKey.slice(-endUnits);
  if (parts) return `wfq_${parts.id}…${end}`;
  return apiKey.length - endUnits >= hiddenUnitsMin ? `…${end}` : '';
}
