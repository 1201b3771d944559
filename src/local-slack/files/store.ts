/** The files of one workspace: announced, uploaded, then shared. The oldest are evicted first. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { JsonRecord } from '../../shared/json.ts';
import type { PageSharedFile } from '../page/protocol.ts';
import { newSlackId } from '../state/ids.ts';

type Announced = {
  readonly name: string;
  /** Length in bytes. */
  readonly length: number;
  /** Alternative text of an image; may be empty. */
  readonly altText: string;
};

export type StoredFile = FileFacts &
  Announced & {
    readonly id: string;
    readonly title: string;
    readonly content: Uint8Array;
  };

/** Slack's limit is a gigabyte; a bot's files are far smaller. */
export const fileBytesMax = 32 * 1_048_576;
const storedBytesMax = 128 * 1_048_576;
const announcedMax = 1000;

export class Files {
  readonly #announced = createLruCache<Announced & { readonly id: string }>({ entriesMax: announcedMax });
  /** By id, the oldest first. */
  readonly #uploaded: Map<string, UploadedFile>;
  readonly #bytesMax: number;

  /** @param uploaded the files of earlier runs */
  constructor(uploaded: Map<string, UploadedFile>, bytesMax = storedBytesMax) {
    this.#uploaded = uploaded;
    this.#bytesMax = bytesMax;
  }

  /** @returns the file's id, and the key for its only upload */
  announce(file: Announced): { readonly id: string; readonly key: string } {
    // The id is the only protection of the file, so it must be unguessable.
    const id = newSlackId('F', 12);
    const key = randomBytes(24).toString('base64url');
    this.#announced.set(key, { ...file, id });
    return { id, key };
  }

  /** @returns the file announced under this key if its bytes are still missing */
  expected(key: string): Announced | undefined {
    return this.#announced.get(key);
  }

  /** @returns true if the content has the announced length */
  receive(key: string, content: Uint8Array): boolean {
    const file = this.#announced.get(key);
    if (file?.length !== content.byteLength) return false;
    this.#announced.delete(key);
    this.#uploaded.set(file.id, { ...file, ...fileFacts(content, file.name), content, title: undefined });
    let bytes = [...this.#uploaded.values()].reduce((sum, each) => sum + each.content.byteLength, 0);
    for (const oldest of this.#uploaded.values()) {
      if (bytes <= this.#bytesMax) break;
      this.#uploaded.delete(oldest.id);
      bytes -= oldest.content.byteLength;
    }
    return true;
  }

  /** Sets the titles of uploaded files. @returns undefined, and changes nothing, if one was not uploaded */
  complete(
    titled: readonly { readonly id: string; readonly title: string | undefined }[],
  ): readonly StoredFile[] | undefined {
    const files = titled.flatMap(({ id, title }) => {
      const file = this.#uploaded.get(id);
      return file && file.title === undefined ? [{ ...file, title: title ?? file.name }] : [];
    });
    if (files.length < titled.length) return undefined;
    for (const file of files) this.#uploaded.set(file.id, file);
    return files;
  }

  /** @returns undefined for a file that was never shared or was evicted */
  find(id: string): StoredFile | undefined {
    const file = this.#uploaded.get(id);
    return file?.title === undefined ? undefined : { ...file, title: file.title };
  }

  /** @returns true if the file existed, shared or not */
  remove(id: string): boolean {
    return this.#uploaded.delete(id);
  }
}

/** A file has no title until it is shared. */
type UploadedFile = Omit<StoredFile, 'title'> & { readonly title: string | undefined };

export function fileForPage(file: StoredFile, teamId: string): PageSharedFile {
  const { id, name, title, kind, altText, head, lineCount } = file;
  const folder = `/files-pri/${teamId}-${id}`;
  const ending = encodeURIComponent(name.toLowerCase());
  return {
    ...{ id, name, title, kind, altText, head, lineCount },
    bytes: file.content.byteLength,
    mimeType: file.mimeType,
    url: `${folder}/${ending}`,
    downloadUrl: `${folder}/download/${ending}`,
  };
}

/** The fields of https://docs.slack.dev/reference/objects/file-object that apps use. */
export function fileForApps(file: PageSharedFile, baseUrl: string): JsonRecord {
  const { id, name, title, kind, bytes, mimeType, altText, head, lineCount } = file;
  const snippet = { preview: head, lines: lineCount, lines_more: Math.max(0, lineCount - head.split('\n').length) };
  return {
    ...{ id, name, title, size: bytes },
    mimetype: mimeType,
    filetype: extension(name) || (kind === 'text' ? 'text' : 'binary'),
    mode: kind === 'text' ? 'snippet' : 'hosted',
    is_external: false,
    url_private: baseUrl + file.url,
    url_private_download: baseUrl + file.downloadUrl,
    ...(kind === 'text' ? snippet : {}),
    ...(altText === '' ? {} : { alt_txt: altText }),
  };
}

/** Detected from the bytes, never from the name. Only known image types are shown as images. */
type FileFacts = {
  readonly kind: 'image' | 'text' | 'other';
  readonly mimeType: string;
  /** The first lines of a text; empty for other kinds. */
  readonly head: string;
  /** Number of lines of a text; 0 for other kinds. */
  readonly lineCount: number;
};

/** Image types that every browser draws and none runs: https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/MIME_types */
const pictures: readonly (readonly [mimeType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF....WEBP/s],
];

/** Limits of the preview in a message; the download has the rest. */
const headLinesMax = 100;
const headUnitsMax = 16_384;

/** @param name of the file; decides only the type of a text */
function fileFacts(content: Uint8Array, name: string): FileFacts {
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

/** @returns for example `csv`; empty if there is none */
function extension(name: string): string {
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
