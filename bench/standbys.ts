/** `npm run bench -- standbys [executions]`: one process of the service with its primary alone, with one and with two standbys. */
import { startOwnPostgres } from '../test/support/databases/own-postgres.ts';
import { load, type Round } from './service/asking.ts';
import { checkAnswers, type Lengths, medianOf, ratioOf, warmUpAll } from './service/compare.ts';
import type { Contender } from './service/contender.ts';
import { startService } from './service/contenders.ts';
import { type Database, postgresDatabase, serverPid } from './service/databases.ts';
import { familyProcessorMs } from './service/processes.ts';
import { bodiesOf, type Question, questionsOf } from './service/questions.ts';
import { machine, median, table, writeFigures } from './support/figures.ts';

const executions = Number(process.argv[3] ?? 100_000);
const rounds = 9;
const roundMs = 700;
const connections = 10;

/** A round with the processor time of the primary and of the standbys for an answer. */
type ServerRound = Round & { readonly primaryMs: number; readonly standbyMs: number };

const head = ['', 'answers/s', '× primary alone', 'p50 ms', 'p99 ms', 'service', 'primary', 'standbys'];

const primary = await startOwnPostgres();
const started: Contender[] = [];
try {
  const database = await postgresDatabase(primary.url, executions);
  const standbys = [await standbyOf(database), await standbyOf(database)];
  console.log(`${machine()}, ${connections} connections; medians of ${rounds} rounds, alternating within each.`);
  console.log('The last three columns are processor milliseconds an answer.\n');
  for (const count of [0, 1, 2]) {
    const readUrls = standbys.slice(0, count).map(({ url }) => url);
    started.push({ ...(await startService(database, readUrls)), name: nameOf(count) });
  }
  const questions = [];
  for (const question of questionsOf(executions)) {
    questions.push(
      await measure(question, { primary: [database.serverPid], standbys: standbys.map(({ pid }) => pid) }),
    );
  }
  console.log(`Numbers: ${writeFigures('standbys', { executions, rounds, questions })}`);
} finally {
  for (const contender of started) await contender.stop();
  await primary.close();
}

function nameOf(standbys: number): string {
  return standbys === 0 ? 'primary alone' : `${standbys} ${standbys === 1 ? 'standby' : 'standbys'}`;
}

async function standbyOf({ url: primaryUrl }: Database) {
  const standby = await primary.startStandby();
  const url = Object.assign(new URL(standby.url), { pathname: new URL(primaryUrl).pathname }).href;
  return { url, pid: await serverPid(url) };
}

type Servers = { readonly primary: readonly (number | undefined)[]; readonly standbys: readonly number[] };

async function measure(question: Question, servers: Servers) {
  const lengths: Lengths = await checkAnswers(question, started);
  await warmUpAll(question, lengths);
  const measured = new Map<Contender, ServerRound[]>(started.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, bytes] of [...lengths, ...lengths].slice(round % lengths.size).slice(0, lengths.size)) {
      measured.get(contender)?.push(await loadOnce(question, { contender, bytes }, servers));
    }
  }
  const alone = [...measured.values()][0];
  const results = [...measured].map(([{ name }, own]) => ({
    name,
    perSecond: medianOf(own, 'perSecond'),
    byPrimary: ratioOf(own, alone, 'perSecond'),
    p50Ms: medianOf(own, 'p50Ms'),
    p99Ms: medianOf(own, 'p99Ms'),
    ownMs: medianOf(own, 'ownMs'),
    primaryMs: median(own.map(({ primaryMs }) => primaryMs)),
    standbyMs: median(own.map(({ standbyMs }) => standbyMs)),
  }));
  console.log(
    `${question.name}\n${table(
      head,
      results.map((result) => Object.values(result)),
    )}\n`,
  );
  return { question: question.name, results };
}

async function loadOnce(
  question: Question,
  { contender, bytes }: { readonly contender: Contender; readonly bytes: readonly number[] },
  servers: Servers,
): Promise<ServerRound> {
  const [primaryBefore, standbysBefore] = [processorMsOf(servers.primary), processorMsOf(servers.standbys)];
  const bodies = bodiesOf(question, contender.dialect);
  const round = await load(contender, { path: '/graphql', bodies, bytes, connections, ms: roundMs });
  return {
    ...round,
    primaryMs: (processorMsOf(servers.primary) - primaryBefore) / round.answers,
    standbyMs: (processorMsOf(servers.standbys) - standbysBefore) / round.answers,
  };
}

function processorMsOf(pids: readonly (number | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => sum + (pid === undefined ? 0 : familyProcessorMs(pid)), 0);
}
