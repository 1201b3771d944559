/** Draws the icon of the Slack app (`node scripts/icon.ts`): two steps of a workflow lead to a third, which succeeded. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createRasteriser } from '../src/bot/rendering/rasterise.ts';

/** Slack asks for a square of 512 to 2,000 pixels. */
const sizePx = 1_024;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${sizePx}" height="${sizePx}" viewBox="0 0 512 512">
  <rect width="512" height="512" fill="#1f2937"/>
  <g fill="none" stroke="#9ca3af" stroke-width="22">
    <path d="M 136 152 H 256 V 256"/>
    <path d="M 136 360 H 256 V 256 H 330"/>
  </g>
  <g fill="#f9fafb">
    <rect x="84" y="100" width="104" height="104" rx="26"/>
    <rect x="84" y="308" width="104" height="104" rx="26"/>
  </g>
  <circle cx="362" cy="256" r="86" fill="#22c55e"/>
  <path d="M 322 258 L 352 288 L 404 228" fill="none" stroke="#ffffff" stroke-width="26" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`;

await writeFile(resolve(import.meta.dirname, '../docs/icon.png'), await createRasteriser()(svg));
