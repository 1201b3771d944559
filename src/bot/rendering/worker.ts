/** Worker thread: draws one SVG at a time and answers with a PNG or a problem, in order. */
import { parentPort } from 'node:worker_threads';
import { createRasteriser } from './rasterise.ts';

/** The reply to each SVG: the file, or the reason for its absence. */
export type Drawn = { readonly png: Uint8Array<ArrayBuffer> } | { readonly problem: string };

const rasterise = createRasteriser();

async function draw(svg: string): Promise<void> {
  try {
    const png = await rasterise(svg);
    parentPort?.postMessage({ png } satisfies Drawn, [png.buffer]);
  } catch (error) {
    parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) } satisfies Drawn);
  }
}

parentPort?.on('message', (svg: string) => void draw(svg));
