/** Imports lines into the records, block by block: what cannot be read is reported and stops nothing, what is done is not done again. */
import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '../../shared/time/clock.ts';
import type { RecordStore, RecordWriter } from '../records/port.ts';
import type { TypedRecord } from '../records/record.ts';
import { type Block, type BlockSizes, blockSizes, blocksOf, linesIn } from './blocks.ts';
import { parseLine } from './parse-line.ts';
import { createReferences, type NumberedRecord } from './references.ts';
import type { RefusedLine, RefusedLines } from './refused-lines.ts';
import type { Resumption } from './resume.ts';

export type ImportDeps = {
  readonly store: Pick<RecordStore, 'records' | 'writer' | 'imports'>;
  /** The input, from where the import begins. */
  readonly input: AsyncIterable<Buffer>;
  readonly refusedLines: RefusedLines;
  readonly clock: Clock;
  /** Told after every block. */
  readonly onProgress: (progress: ImportFigures) => void;
  readonly sizes?: BlockSizes;
};

export type ImportFigures = {
  /** Of the input, those that were imported before included. */
  readonly bytes: number;
  readonly lines: number;
  readonly refused: number;
  /** Records written, by what they are; a record that stands twice counts twice. */
  readonly written: Readonly<Record<TypedRecord['type'], number>>;
};

type ParsedBlock = {
  readonly block: Block;
  /** Those that end in it. */
  readonly lines: number;
  readonly records: readonly NumberedRecord[];
  readonly refused: readonly RefusedLine[];
};

/** @param resumption where the import begins @throws what the database throws; the same import again then goes on from there */
export async function importRecords(deps: ImportDeps, resumption: Resumption): Promise<ImportFigures> {
  const sizes = deps.sizes ?? blockSizes;
  const write = createBlockWriter(deps, resumption);
  let lines = resumption.lines;
  let writing = Promise.resolve();
  try {
    for await (const block of blocksOf(deps.input, sizes)) {
      // The next block is read while the last one is written.
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

/** Lines that are read at a stretch: between stretches the block that is written goes on. */
const linesAtOnce = 200;

/** @param before how many lines stand before it */
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

function createBlockWriter({ store, refusedLines, clock, onProgress }: ImportDeps, resumption: Resumption) {
  const references = createReferences(store.records);
  const written = { organization: 0, account: 0, workflow: 0, deployment: 0, execution: 0 };
  let { bytes, lines, refused } = resumption;
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
      resumption.digest.update(parsed.block.bytes);
      // Kept after what it tells of, and never ahead of it: what lies between is written again, to the same effect.
      if (resumption.source !== null && parsed.block.kind !== 'too long') {
        const digest = resumption.digest.copy().digest('hex');
        await store.imports.put(resumption.source, { bytes, lines, digest, refused, refusedBytes, at: clock() });
      }
      onProgress(figures());
    },
    async end(): Promise<void> {
      if (resumption.source !== null) await store.imports.drop(resumption.source);
    },
  };
}

/** By type, each after what it refers to; within a type in the order of the lines, since a later one replaces an earlier. */
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
