/** Makes a hint of an API key that identifies it and is safe to show. */
import { parseKeyText } from '../../shared/key-shape.ts';

/** Fewer hidden characters could be guessed. */
const hiddenUnitsMin = 20;
const endUnits = 4;

/** @returns such as `wfq_3f9a1b0c7d2e4…7c2d`; the last characters of a key of another kind; empty for a short key */
export function keyHint(apiKey: string): string {
  const parts = parseKeyText(apiKey);
  const end = apiKey.slice(-endUnits);
  if (parts) return `wfq_${parts.id}…${end}`;
  return apiKey.length - endUnits >= hiddenUnitsMin ? `…${end}` : '';
}
