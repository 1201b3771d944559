/** The files of one workspace: announced, uploaded, then shared. The oldest are evicted first. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { JsonRecord } from '../../shared/json.ts';
import type { PageSharedFile } from '../page/protocol.ts';
import { newSlackId } from '../state/ids.ts';
import { noStorage, type Records } from '../state/storage.ts';

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

export type Files = {
  /** @returns the file's id, and the key for its only upload */
  readonly announce: (file: Announced) => { readonly id: string; readonly key: string };
  /** @returns the file announced under this key if its bytes are still missing */
  readonly expected: (key: string) => Announced | undefined;
  /** @returns true if the content has the announced length */
  readonly receive: (key: string, content: Uint8Array) => boolean;
  /** Sets the titles of uploaded files. @returns undefined, and changes nothing, if one was not uploaded */
  readonly complete: (
    titled: readonly { readonly id: string; readonly title: string | undefined }[],
  ) => readonly StoredFile[] | undefined;
  /** @returns undefined for a file that was never shared or was evicted */
  readonly find: (id: string) => StoredFile | undefined;
  /** @returns true if the file existed, shared or not */
  readonly remove: (id: string) => boolean;
};

/** Slack's limit is a gigabyte; a bot's files are far smaller. */
export const fileBytesMax = 32 * 1_048_576;
const storedBytesMax = 128 * 1_048_576;
const announcedMax = 1000;

/** @param records keeps uploaded files, those of earlier runs included; in memory only by default */
export function createFiles(
  records: Records<UploadedFile> = noStorage.records('file', 0),
  bytesMax: number = storedBytesMax,
): Files {
  const announced = createLruCache<Announced & { readonly id: string }>({ entriesMax: announcedMax });
  const uploaded = new Map(records.list().map((file) => [file.id, file]));
  const put = (file: UploadedFile) => {
    uploaded.set(file.id, file);
    records.put(file.id, file);
  };
  const remove = (id: string) => {
    records.remove(id);
    return uploaded.delete(id);
  };
  return {
    announce: (file) => {
      // The id is the only protection of the file, so it must be unguessable.
      const id = newSlackId('F', 12);
      const key = randomBytes(24).toString('base64url');
      announced.set(key, { ...file, id });
      return { id, key };
    },
    expected: (key) => announced.get(key),
    receive: (key, content) => {
      const file = announced.get(key);
      if (file?.length !== content.byteLength) return false;
      announced.delete(key);
      put({ ...file, ...fileFacts(content, file.name), content, title: undefined });
      for (const id of overBytes(uploaded, bytesMax)) remove(id);
      return true;
    },
    complete: (titled) => {
      const files = titled.flatMap(({ id, title }) => {
        const file = uploaded.get(id);
        return file && file.title === undefined ? [{ ...file, title: title ?? file.name }] : [];
      });
      if (files.length < titled.length) return undefined;
      for (const file of files) put(file);
      return files;
    },
    find: (id) => {
      const file = uploaded.get(id);
      return file?.title === undefined ? undefined : { ...file, title: file.title };
    },
    remove,
  };
}

/** A file has no title until it is shared. */
export type UploadedFile = Omit<StoredFile, 'title'> & { readonly title: string | undefined };

/** @returns the oldest files, without which the others are within the limit */
function overBytes(files: ReadonlyMap<string, UploadedFile>, bytesMax: number): readonly string[] {
  let bytes = [...files.values()].reduce((sum, { content }) => sum + content.byteLength, 0);
  const evicted: string[] = [];
  for (const [id, { content }] of files) {
    if (bytes <= bytesMax) break;
    evicted.push(id);
    bytes -= content.byteLength;
  }
  return evicted;
}

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
