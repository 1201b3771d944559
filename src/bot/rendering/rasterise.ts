/** Converts SVG to PNG in the calling thread. Only the worker and the bench use it. */
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { createCanvas, GlobalFonts, loadImage } from '@napi-rs/canvas';

const fontFile = fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf'));
/** The font that src/bot/views/charts names. */
const fontFamily = 'Inter Medium';
/** Limit for one picture: 48 MB of memory. */
const pixelsMax = 12_000_000;

/**
 * @returns a function that draws one SVG of src/bot/views/charts at its own size; it throws if the SVG is invalid or
 *   too large
 * @throws Error if the font cannot be read
 */
export function createRasteriser(): (svg: string) => Promise<Uint8Array<ArrayBuffer>> {
  if (!GlobalFonts.registerFromPath(fontFile, fontFamily)) throw new Error('The font of the pictures cannot be read.');
  const canvas = createCanvas(1, 1);
  return async (svg) => {
    const image = await loadImage(Buffer.from(svg));
    const { width, height } = image;
    if (width * height > pixelsMax) throw new Error(`A picture of ${width} by ${height} pixels is too large.`);
    // One canvas for all pictures: setting its size clears it and frees the memory of the previous picture.
    canvas.width = width;
    canvas.height = height;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return pngOf(canvas.data(), width, height);
  };
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const channels = 4;

/**
 * Encodes pixels as PNG: https://www.w3.org/TR/png-3. The encoder of @napi-rs/canvas has no compression level for PNG.
 * For these flat pictures level 1 of zlib is two to three times as fast, and the files are no larger.
 * @param rgba four bytes per pixel, row by row, not premultiplied
 * @returns the file in its own buffer
 */
function pngOf(rgba: Uint8Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // Eight bits per channel, red green blue alpha. Compression, filter method and interlacing are 0, the only common
  // value.
  header.setUint8(8, 8);
  header.setUint8(9, 6);
  const chunks = [
    signature,
    ...chunk('IHDR', new Uint8Array(header.buffer)),
    ...chunk('IDAT', deflateSync(scanlines(rgba, width, height), { level: 1, memLevel: 9 })),
    ...chunk('IEND', new Uint8Array()),
  ];
  const file = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let position = 0;
  for (const chunk of chunks) {
    file.set(chunk, position);
    position += chunk.length;
  }
  return file;
}

/** Puts the filter byte in front of each row: 0, unchanged bytes. */
function scanlines(rgba: Uint8Array, width: number, height: number): Uint8Array {
  const rowBytes = width * channels;
  const lines = new Uint8Array(height * (rowBytes + 1));
  for (let row = 0; row < height; row++) {
    lines.set(rgba.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1);
  }
  return lines;
}

function chunk(type: string, data: Uint8Array): readonly Uint8Array[] {
  const name = new TextEncoder().encode(type);
  return [bigEndian(data.length), name, data, bigEndian(crc32(data, crc32(name)))];
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
