/** The files of one workspace, in memory: announced, uploaded, then shared. The oldest are evicted first. */
import { randomBytes } from 'node:crypto';
import type { PageSharedFile } from '../page/protocol.ts';
import type { Fields } from '../server/json.ts';
import { evictOldest } from '../state/evict-oldest.ts';
import { newSlackId } from '../state/ids.ts';
import { extension, type FileFacts, fileFacts } from './kind.ts';

type Announced = {
  readonly name: string;
  /** In bytes. */
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
  /** @returns the file's id, and the key that lets its bytes in, once */
  readonly announce: (file: Announced) => { readonly id: string; readonly key: string };
  /** @returns the file announced under this key whose bytes are missing */
  readonly expected: (key: string) => Announced | undefined;
  /** @returns whether these are as many bytes as were announced */
  readonly receive: (key: string, content: Uint8Array) => boolean;
  /** Gives files that were sent their titles. @returns undefined, and changes nothing, where one of them was not sent */
  readonly complete: (
    titled: readonly { readonly id: string; readonly title: string | undefined }[],
  ) => readonly StoredFile[] | undefined;
  /** @returns undefined for a file that was never shared or has been forgotten */
  readonly find: (id: string) => StoredFile | undefined;
  /** @returns whether there was such a file, shared or not */
  readonly remove: (id: string) => boolean;
};

/** Slack takes a gigabyte; nothing a bot writes for people comes near this. */
export const fileBytesMax = 32 * 1_048_576;
const storedBytesMax = 128 * 1_048_576;
const announcedMax = 1000;

export function createFiles(bytesMax: number = storedBytesMax): Files {
  const announced = new Map<string, Announced & { readonly id: string }>();
  const uploaded = new Map<string, UploadedFile>();
  return {
    announce: (file) => {
      // The id is the only protection of the file, so it must be unguessable.
      const id = newSlackId('F', 12);
      const key = randomBytes(24).toString('base64url');
      announced.set(key, { ...file, id });
      evictOldest(announced, announcedMax);
      return { id, key };
    },
    expected: (key) => announced.get(key),
    receive: (key, content) => {
      const file = announced.get(key);
      if (file?.length !== content.byteLength) return false;
      announced.delete(key);
      uploaded.set(file.id, { ...file, ...fileFacts(content, file.name), content, title: undefined });
      evictOverBytes(uploaded, bytesMax);
      return true;
    },
    complete: (titled) => {
      const files = titled.flatMap(({ id, title }) => {
        const file = uploaded.get(id);
        return file && file.title === undefined ? [{ ...file, title: title ?? file.name }] : [];
      });
      if (files.length < titled.length) return undefined;
      for (const file of files) uploaded.set(file.id, file);
      return files;
    },
    find: (id) => {
      const file = uploaded.get(id);
      return file?.title === undefined ? undefined : { ...file, title: file.title };
    },
    remove: (id) => uploaded.delete(id),
  };
}

/** Without a title until it is shared. */
type UploadedFile = Omit<StoredFile, 'title'> & { readonly title: string | undefined };

function evictOverBytes(files: Map<string, UploadedFile>, bytesMax: number): void {
  let bytes = [...files.values()].reduce((sum, { content }) => sum + content.byteLength, 0);
  for (const [id, { content }] of files) {
    if (bytes <= bytesMax) return;
    files.delete(id);
    bytes -= content.byteLength;
  }
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

/** https://docs.slack.dev/reference/objects/file-object, with what an app could want of it. */
export function fileForApps(file: PageSharedFile, baseUrl: string): Fields {
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
