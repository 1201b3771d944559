/** Where an import begins: at the start, or where the same file was left, if its beginning is still the same to the byte. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ImportProgress, ImportRecords } from '../records/imports.ts';

export type Resumption = Omit<ImportProgress, 'digest' | 'at'> & {
  /** What its progress is kept by; null where it is not kept. */
  readonly source: string | null;
  /** Of the bytes before. */
  readonly digest: Digest;
};

type Digest = ReturnType<typeof createHash>;

const nothing = { bytes: 0, lines: 0, refused: 0, refusedBytes: 0 };

/** @param source where progress is to be kept */
export function fromStart(source: string | null): Resumption {
  return { ...nothing, source, digest: createHash('sha256') };
}

/** @param path of the file, whole @returns where it was left; its start where it was not, or is another by now */
export async function resumptionOf(imports: ImportRecords, path: string): Promise<Resumption> {
  const progress = await imports.find(path);
  if (progress === null || progress.bytes === 0) return fromStart(path);
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: progress.bytes - 1 })) digest.update(chunk);
  const isSame = digest.copy().digest('hex') === progress.digest;
  const { bytes, lines, refused, refusedBytes } = progress;
  return isSame ? { bytes, lines, refused, refusedBytes, source: path, digest } : fromStart(path);
}
