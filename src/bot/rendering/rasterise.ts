/** SVG to PNG, in the thread that calls it: for the worker and the bench alone. */
import { fileURLToPath } from 'node:url';
import { createCanvas, GlobalFonts, loadImage } from '@napi-rs/canvas';
import { pngOf } from './png.ts';

const fontFile = fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf'));
/** As src/bot/views/charts writes it. */
const fontFamily = 'Inter Medium';
/** The most that one picture may hold: 48 MB of memory. */
const pixelsMax = 12_000_000;

/** @returns draws one SVG of ours at its own size. @throws Error for a missing font, and from each picture for SVG that cannot be read or is too large */
export function createRasteriser(): (svg: string) => Promise<Uint8Array<ArrayBuffer>> {
  if (!GlobalFonts.registerFromPath(fontFile, fontFamily)) throw new Error('The font of the pictures cannot be read.');
  const canvas = createCanvas(1, 1);
  return async (svg) => {
    const image = await loadImage(Buffer.from(svg));
    const { width, height } = image;
    if (width * height > pixelsMax) throw new Error(`A picture of ${width} by ${height} pixels is too large.`);
    // One canvas for all: setting its size clears it, and what the last one held is free at once.
    canvas.width = width;
    canvas.height = height;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return pngOf(canvas.data(), width, height);
  };
}
