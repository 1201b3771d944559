/** `npm run bench -- service [executions]`: compares the service with PostGraphile, hand-written statements and a constant, over the same data. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAnswers, levels, measure, medianOf, ratioOf, rounds, warmUpAll } from './service/compare.ts';
import type { Contender } from './service/contender.ts';
import { startConstant, startHandWritten, startPostgraphile, startService } from './service/contenders.ts';
import { type Database, dropDatabase, postgresDatabase, serverVersion, sqliteDatabase } from './service/databases.ts';
import { type Question, questionsOf } from './service/questions.ts';
import { machine, table, writeFigures } from './support/figures.ts';

const executions = Number(process.argv[3] ?? 100_000);
const server = process.env['TEST_POSTGRES_URL'];
/** The powers of ten from ten thousand up to the number, and the number. */
const sizes = [10_000, 100_000, 1_000_000].filter((size) => size < executions).concat(executions);

const head = [
  '',
  'answers/s',
  '× PostGraphile',
  '× hand-written',
  'p50 ms',
  'p99 ms',
  'p99 / PostGraphile’s',
  'own processor, ms/answer',
  'with the database’s',
  '/ PostGraphile’s',
  '/ hand-written’s',
  'resident MB',
];

const folder = mkdtempSync(join(tmpdir(), 'workflow-bot-bench-'));
const started: Contender[] = [];
try {
  const postgres = server === undefined ? 'no PostgreSQL: TEST_POSTGRES_URL is not set' : await serverVersion(server);
  console.log(`${machine()}, ${postgres}; medians of ${rounds} rounds, alternating within each.\n`);
  const databases = await fill();
  const own = databases.filter((database) => database.executions === executions);
  const figures = {
    executions,
    postgres,
    rounds,
    loading: databases.map(({ engine, executions: size, rowsPerSecond }) => ({ engine, size, rowsPerSecond })),
    questions: await measureQuestions(own),
    scaling: await measureScaling(databases),
  };
  console.log(`Numbers: ${writeFigures('service', figures)}`);
} finally {
  await stopAll();
  if (server !== undefined) for (const size of sizes) await dropDatabase(server, size);
  rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<readonly Database[]> {
  const databases: Database[] = [];
  for (const size of sizes) {
    databases.push(await sqliteDatabase(folder, size));
    if (server !== undefined) databases.push(await postgresDatabase(server, size));
  }
  const rows = databases.map(({ engine, executions: size, rowsPerSecond }) => [engine, size, rowsPerSecond]);
  console.log('Writing, through the import’s writer, with the logs and events of every 1,000th');
  console.log(`${table(['', 'executions', 'executions/s'], rows)}\n`);
  return databases;
}

async function keep(contender: Contender): Promise<Contender> {
  started.push(contender);
  return contender;
}

async function stopAll(): Promise<void> {
  for (const contender of started.splice(0)) await contender.stop();
}

async function measureQuestions(databases: readonly Database[]) {
  const questions = questionsOf(executions);
  const contenders: Contender[] = [];
  for (const database of databases) contenders.push(await keep(await startService(database)));
  const postgres = databases.find(({ engine }) => engine === 'PostgreSQL');
  if (postgres) {
    contenders.push(await keep(await startHandWritten(postgres)));
    const postgraphile = await startPostgraphile(postgres);
    if (postgraphile) contenders.push(await keep(postgraphile));
    else console.log('PostGraphile is not installed, and left out: npm ci --prefix bench\n');
  }
  const results = [];
  for (const question of questions)
    results.push(await measureQuestion(question, contenders, question === questions[0]));
  await stopAll();
  return results;
}

/** @param withConstant whether a constant of the length of the first answer is measured too */
async function measureQuestion(question: Question, contenders: readonly Contender[], withConstant: boolean) {
  const checked = await checkAnswers(question, contenders);
  const lengths = new Map(checked);
  const [bytes = 0] = [...checked.values()][0] ?? [];
  if (withConstant)
    lengths.set(
      await keep(await startConstant(bytes)),
      question.service.variables.map(() => bytes),
    );
  const unsettled = await warmUpAll(question, lengths);
  const results = [];
  for (const connections of levels) {
    const measured = await measure(question, lengths, connections);
    const roundsOf = (name: string) => [...measured].find(([contender]) => contender.name === name)?.[1];
    for (const [{ name }, own] of measured) {
      results.push({
        connections,
        name,
        perSecond: medianOf(own, 'perSecond'),
        byPostgraphile: ratioOf(own, roundsOf('PostGraphile'), 'perSecond'),
        byHandWritten: ratioOf(own, roundsOf('hand-written'), 'perSecond'),
        p50Ms: medianOf(own, 'p50Ms'),
        p99Ms: medianOf(own, 'p99Ms'),
        p99ByPostgraphile: ratioOf(own, roundsOf('PostGraphile'), 'p99Ms'),
        ownMs: medianOf(own, 'ownMs'),
        allMs: medianOf(own, 'allMs'),
        allMsByPostgraphile: ratioOf(own, roundsOf('PostGraphile'), 'allMs'),
        allMsByHandWritten: ratioOf(own, roundsOf('hand-written'), 'allMs'),
        residentMB: medianOf(own, 'residentMB'),
      });
    }
  }
  console.log(`${question.name} (${bytes} bytes)`);
  console.log(
    `${table(
      head,
      results.map(({ connections, name, ...numbers }) => [`${connections}: ${name}`, ...Object.values(numbers)]),
    )}\n`,
  );
  tellUnsettled(unsettled);
  return { question: question.name, bytes, unsettled, results };
}

/** The list alone, over each size on each engine, at 10 connections. */
async function measureScaling(databases: readonly Database[]) {
  const [list] = questionsOf(executions);
  const contenders = new Map<Contender, Database>();
  for (const database of databases) contenders.set(await keep(await startService(database)), database);
  const lengths = new Map<Contender, readonly number[]>();
  for (const contender of contenders.keys()) {
    const own = (await checkAnswers(list, [contender])).get(contender);
    if (own) lengths.set(contender, own);
  }
  const unsettled = await warmUpAll(list, lengths);
  const measured = await measure(list, lengths, 10);
  const results = [...contenders].map(([contender, { engine, executions: size }]) => {
    const own = measured.get(contender) ?? [];
    const smallest = [...contenders].find(([, other]) => other.engine === engine)?.[0];
    const p99BySmallest = ratioOf(own, smallest && measured.get(smallest), 'p99Ms');
    const numbers = {
      perSecond: medianOf(own, 'perSecond'),
      p50Ms: medianOf(own, 'p50Ms'),
      p99Ms: medianOf(own, 'p99Ms'),
    };
    return { engine, executions: size, ...numbers, p99BySmallest };
  });
  console.log('The list over more executions, 10 connections');
  console.log(
    `${table(
      ['', 'executions', 'answers/s', 'p50 ms', 'p99 ms', 'p99 / the smallest’s'],
      results.map((one) => Object.values(one)),
    )}\n`,
  );
  tellUnsettled(unsettled);
  return { unsettled, results };
}

function tellUnsettled(names: readonly string[]): void {
  if (names.length > 0)
    console.log(`Measured before the compiler had optimised them, and too slow: ${names.join(', ')}.\n`);
}
