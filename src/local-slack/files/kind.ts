/** Detects a file's kind from its bytes, never from its name. Only known image types are shown as images. */

type FileKind = 'image' | 'text' | 'other';

export type FileFacts = {
  readonly kind: FileKind;
  readonly mimeType: string;
  /** Of a text: its first lines. Empty for everything else. */
  readonly head: string;
  /** Of a text; 0 for everything else. */
  readonly lineCount: number;
};

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/MIME_types: the pictures every browser draws and none runs. */
const pictures: readonly (readonly [mimeType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF....WEBP/s],
];

/** As much as a person reads in a message; the rest is a download away. */
const headLinesMax = 100;
const headUnitsMax = 16_384;

/** @param name of the file; it only tells one kind of text from another */
export function fileFacts(content: Uint8Array, name: string): FileFacts {
  const start = Buffer.from(content.subarray(0, 16)).toString('latin1');
  const [picture] = pictures.find(([, pattern]) => pattern.test(start)) ?? [];
  if (picture !== undefined) return { kind: 'image', mimeType: picture, head: '', lineCount: 0 };
  const text = readText(content);
  if (text === undefined) return { kind: 'other', mimeType: 'application/octet-stream', head: '', lineCount: 0 };
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const head = lines.slice(0, headLinesMax).join('\n').slice(0, headUnitsMax);
  return { kind: 'text', mimeType: textTypes[extension(name)] ?? 'text/plain', head, lineCount: lines.length };
}

const textTypes: Readonly<Record<string, string>> = { csv: 'text/csv', json: 'application/json' };

/** @returns such as `csv`; empty where the name has none */
export function extension(name: string): string {
  return /\.([a-z0-9]{1,12})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** @returns undefined for invalid UTF-8 and for NUL bytes */
function readText(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}
