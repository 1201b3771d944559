/** Imports lines into the records, block by block: reports invalid lines, and resumes after an interruption. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setImmediate as immediate } from 'node:timers/promises';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { ImportProgress, ImportRecords } from '../records/import-progress.ts';
import type { RecordWriter } from '../records/port.ts';
import type { Lookups } from '../records/reads/read-people.ts';
import type { TypedRecord } from '../records/record.ts';
import type { RecordStore } from '../records/store.ts';
import type { RefusedLine, RefusedLines } from './refused-lines.ts';
import { parseLine } from './schemas.ts';

export type ImportDeps = {
  readonly store: Pick<RecordStore, 'records' | 'writer' | 'imports'>;
  /** The input from the start position of the import. */
  readonly input: AsyncIterable<Buffer>;
  readonly refusedLines: RefusedLines;
  readonly clock: Clock;
  /** Called after every block. */
  readonly onProgress: (progress: ImportFigures) => void;
  readonly sizes?: BlockSizes;
};

export type ImportFigures = {
  /** Bytes of the input, including earlier imports of it. */
  readonly bytes: number;
  readonly lines: number;
  readonly refused: number;
  /** Records written, by type; a repeated record counts twice. */
  readonly written: Readonly<Record<TypedRecord['type'], number>>;
};

type ParsedBlock = {
  readonly block: Block;
  /** Lines that end in the block. */
  readonly lines: number;
  readonly records: readonly NumberedRecord[];
  readonly refused: readonly RefusedLine[];
};

/** @param start of the import @throws errors of the database; repeating the import resumes after the last written block */
export async function importRecords(deps: ImportDeps, start: ImportStart): Promise<ImportFigures> {
  const sizes = deps.sizes ?? blockSizes;
  const write = createBlockWriter(deps, start);
  let lines = start.lines;
  let writing = Promise.resolve();
  try {
    for await (const block of blocksOf(deps.input, sizes)) {
      // Parses the next block while the previous one is written.
      const parsed = await parseBlock(block, lines, sizes);
      lines += parsed.lines;
      await writing;
      writing = write.block(parsed);
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
  await write.end();
  return write.figures();
}

/** Lines parsed before yielding to the event loop, which writes the previous block. */
const linesAtOnce = 200;

/** @param before number of lines before the block */
async function parseBlock(block: Block, before: number, { lineBytesMax }: BlockSizes): Promise<ParsedBlock> {
  const records: NumberedRecord[] = [];
  const refused: RefusedLine[] = [];
  let number = before;
  const tooLong = `it is longer than ${lineBytesMax} bytes`;
  if (block.kind === 'too long, end') refused.push({ number: ++number, reason: tooLong });
  if (block.kind !== 'lines') return { block, lines: number - before, records, refused };
  for (const bytes of linesIn(block.bytes)) {
    number += 1;
    const line = bytes.length > lineBytesMax ? ({ kind: 'refused', reason: tooLong } as const) : parseLine(bytes);
    if (line.kind === 'record') records.push({ number, typed: line.typed });
    if (line.kind === 'refused') refused.push({ number, reason: line.reason });
    if (number % linesAtOnce === 0) await immediate();
  }
  return { block, lines: number - before, records, refused };
}

function createBlockWriter({ store, refusedLines, clock, onProgress }: ImportDeps, start: ImportStart) {
  const references = createReferences(store.records);
  const written = { organization: 0, account: 0, workflow: 0, deployment: 0, execution: 0 };
  let { bytes, lines, refused } = start;
  const figures = (): ImportFigures => ({ bytes, lines, refused, written: { ...written } });
  return {
    figures,
    async block(parsed: ParsedBlock): Promise<void> {
      const { accepted, missing } = await references.check(parsed.records);
      await writeRecords(store.writer, accepted);
      for (const { type } of accepted) written[type] += 1;
      const refusedHere = [...parsed.refused, ...missing].sort((a, b) => a.number - b.number);
      bytes += parsed.block.bytes.length;
      lines += parsed.lines;
      refused += refusedHere.length;
      const refusedBytes = refusedLines.add(refusedHere);
      start.digest.update(parsed.block.bytes);
      // Saved after the records: after a crash between the two, the block is written again with the same result.
      if (start.source !== null && parsed.block.kind !== 'too long') {
        const digest = start.digest.copy().digest('hex');
        await store.imports.put(start.source, { bytes, lines, digest, refused, refusedBytes, at: clock() });
      }
      onProgress(figures());
    },
    async end(): Promise<void> {
      if (start.source !== null) await store.imports.drop(start.source);
    },
  };
}

/** Writes owners first. Within a type it keeps the order of the lines, since a later record replaces an earlier one. */
async function writeRecords(writer: RecordWriter, typed: readonly TypedRecord[]): Promise<void> {
  for (const one of typed) if (one.type === 'organization') await writer.putOrganization(one.record);
  for (const one of typed) if (one.type === 'account') await writer.putAccount(one.record);
  const workflows = typed.flatMap((one) => (one.type === 'workflow' ? [one.record] : []));
  const deployments = typed.flatMap((one) => (one.type === 'deployment' ? [one.record] : []));
  const executions = typed.flatMap((one) => (one.type === 'execution' ? [one.record] : []));
  if (workflows.length > 0) await writer.putWorkflows(workflows);
  if (deployments.length > 0) await writer.putDeployments(deployments);
  if (executions.length > 0) await writer.putExecutions(executions);
}

export type ImportStart = Omit<ImportProgress, 'digest' | 'at'> & {
  /** Key of its stored progress; null if it is not stored. */
  readonly source: string | null;
  /** SHA-256 of the bytes before. */
  readonly digest: Digest;
};

type Digest = ReturnType<typeof createHash>;

const nothing = { bytes: 0, lines: 0, refused: 0, refusedBytes: 0 };

/** @param source key of the stored progress; null for none */
export function fromStart(source: string | null): ImportStart {
  return { ...nothing, source, digest: createHash('sha256') };
}

/** @param path absolute @returns the point of interruption, or the start if there is none or the file has changed */
export async function resumeOrStart(imports: ImportRecords, path: string): Promise<ImportStart> {
  const progress = await imports.find(path);
  if (progress === null || progress.bytes === 0) return fromStart(path);
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: progress.bytes - 1 })) digest.update(chunk);
  const isSame = digest.copy().digest('hex') === progress.digest;
  const { bytes, lines, refused, refusedBytes } = progress;
  return isSame ? { bytes, lines, refused, refusedBytes, source: path, digest } : fromStart(path);
}

type NumberedRecord = { readonly number: number; readonly typed: TypedRecord };

type CheckedLines = { readonly accepted: readonly TypedRecord[]; readonly missing: readonly RefusedLine[] };

/** An organization, or one of its workflows. */
type Owner = { readonly organizationId: string; readonly workflowUuid: string | null };

/** More than the owners that the lines of one block can name. */
const knownMax = 50_000;

/** Checks that the organization or workflow of a record exists. @param records read once per organization and workflow */
function createReferences(records: Pick<Lookups, 'organization' | 'hasWorkflow'>) {
  const known = createLruCache<true>({ entriesMax: knownMax });
  const exists = async ({ organizationId, workflowUuid }: Owner) =>
    workflowUuid === null
      ? (await records.organization(organizationId)) !== null
      : records.hasWorkflow(organizationId, workflowUuid);
  return {
    /** @param lines in order, before any of them is written */
    async check(lines: readonly NumberedRecord[]): Promise<CheckedLines> {
      const absent = new Set<string>();
      const accepted: TypedRecord[] = [];
      const missing: RefusedLine[] = [];
      for (const { number, typed } of lines) {
        const owner = ownerOf(typed);
        if (owner !== null) {
          const key = keyOf(owner);
          if (!known.get(key) && !absent.has(key)) {
            if (await exists(owner)) known.set(key, true);
            else absent.add(key);
          }
          if (!known.get(key)) {
            missing.push({ number, reason: reasonOf(owner) });
            continue;
          }
        }
        const owned = asOwner(typed);
        if (owned !== null) known.set(keyOf(owned), true);
        accepted.push(typed);
      }
      return { accepted, missing };
    },
  };
}

function ownerOf({ type, record }: TypedRecord): Owner | null {
  const { organizationId } = record;
  switch (type) {
    case 'organization':
      return null;
    case 'account':
    case 'workflow':
      return { organizationId, workflowUuid: null };
    case 'deployment':
    case 'execution':
      return { organizationId, workflowUuid: record.workflowUuid };
  }
}

/** @returns the owner that later lines may refer to */
function asOwner({ type, record }: TypedRecord): Owner | null {
  if (type === 'organization') return { organizationId: record.organizationId, workflowUuid: null };
  return type === 'workflow' ? { organizationId: record.organizationId, workflowUuid: record.uuid } : null;
}

function keyOf({ organizationId, workflowUuid }: Owner): string {
  return workflowUuid === null ? organizationId : `${organizationId}\n${workflowUuid}`;
}

function reasonOf({ organizationId, workflowUuid }: Owner): string {
  return workflowUuid === null
    ? `the organization ${organizationId} is not known: its line comes first`
    : `the workflow ${workflowUuid} is not known in ${organizationId}: its line comes first`;
}

export type Block = {
  /** The bytes of this block. Every byte of the stream is in exactly one block. */
  readonly bytes: Buffer;
  /**
   * `lines`: whole lines (the last of the stream may lack its line break). `too long`: a piece of a too long line
   * without its end. `too long, end`: the piece with its end.
   */
  readonly kind: 'lines' | 'too long' | 'too long, end';
};

export type BlockSizes = {
  /** A block ends as soon as it has this many bytes of whole lines. */
  readonly blockBytes: number;
  /** Longer lines are refused without being read. */
  readonly lineBytesMax: number;
};

/**
 * 8 MiB are some 18,000 executions without logs. Their uuids are spread over an index, so that a block half as large
 * changes nearly as many of its pages. The longest logs of the platform take 11 MB.
 */
const blockSizes: BlockSizes = { blockBytes: 8 * 1024 * 1024, lineBytesMax: 32 * 1024 * 1024 };

const lineBreak = 0x0a;

/** @param chunks of the stream, of any size */
export async function* blocksOf(chunks: AsyncIterable<Buffer>, sizes: BlockSizes = blockSizes): AsyncGenerator<Block> {
  const whole = createByteBuffer();
  const begun = createByteBuffer();
  let isTooLong = false;
  for await (const chunk of chunks) {
    let rest = chunk;
    if (isTooLong) {
      const end = rest.indexOf(lineBreak) + 1;
      isTooLong = end === 0;
      yield isTooLong ? { bytes: rest, kind: 'too long' } : { bytes: rest.subarray(0, end), kind: 'too long, end' };
      if (isTooLong) continue;
      rest = rest.subarray(end);
    }
    const end = rest.lastIndexOf(lineBreak) + 1;
    if (end > 0) {
      whole.add(begun.take());
      whole.add(rest.subarray(0, end));
    }
    begun.add(rest.subarray(end));
    isTooLong = begun.size() > sizes.lineBytesMax;
    if (whole.size() >= sizes.blockBytes || (isTooLong && whole.size() > 0)) {
      yield { bytes: whole.take(), kind: 'lines' };
    }
    if (isTooLong) yield { bytes: begun.take(), kind: 'too long' };
  }
  whole.add(begun.take());
  if (isTooLong) yield { bytes: Buffer.alloc(0), kind: 'too long, end' };
  else if (whole.size() > 0) yield { bytes: whole.take(), kind: 'lines' };
}

/** Collects chunks of bytes and concatenates them once. */
function createByteBuffer() {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return {
    size: () => bytes,
    add(chunk: Buffer): void {
      if (chunk.length > 0) chunks.push(chunk);
      bytes += chunk.length;
    },
    take(): Buffer {
      const taken = Buffer.concat(chunks, bytes);
      chunks = [];
      bytes = 0;
      return taken;
    },
  };
}

/** @param bytes whole lines; the last may lack its line break @returns each line without its line break */
export function* linesIn(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(lineBreak, from);
    const until = end === -1 ? bytes.length : end;
    yield bytes.subarray(from, until);
    from = until + 1;
  }
}
