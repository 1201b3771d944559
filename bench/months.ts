/** `npm run bench -- months [executions]`: the service on PostgreSQL with a partition for each month, and without. */
import { openRecords } from '../src/query-service/records/open.ts';
import { dayMs } from '../src/query-service/records/reads/periods.ts';
import { checkAnswers, measure, medianOf, ratioOf, rounds, warmUpAll } from './service/compare.ts';
import type { Contender } from './service/contender.ts';
import { startService } from './service/contenders.ts';
import { endAt, execution, workflows } from './service/data-set.ts';
import { dropDatabase, postgresDatabase, serverVersion } from './service/databases.ts';
import { type Question, questionsOf } from './service/questions.ts';
import { machine, shown, table, writeFigures } from './support/figures.ts';

const executions = Number(process.argv[3] ?? 100_000);
const server = process.env['TEST_POSTGRES_URL'];
if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: .ci/with-postgres npm run bench -- months');

/** Months before the data set's, without executions: a statement over every month opens them, too. */
const emptyMonths = 22;
const connections = 10;

const columns = 'uuid id workflowName status startedAt finishedAt';
const uuids = workflows.map(({ uuid }) => uuid);
const [failures, one, activity, , card] = questionsOf(executions);

function ownQuestion(name: string, document: string, variables: Question['service']['variables']): Question {
  return { ...failures, name, service: { document, variables } };
}

const list = (
  variables: string,
  input: string,
) => `query${variables} { workflowExecutions(input: { ${input} page: { size: 20 },
  orderBy: { field: STARTED_AT, order: DESC } }) { data { ${columns} } count } }`;
const oldUuids = uuids.map((_, index) => ({ uuid: execution(index, executions).uuid }));
const days = (count: number) => new Date(endAt - count * dayMs).toISOString();

const questions: readonly (Question | undefined)[] = [
  failures,
  ownQuestion(
    '20 of a workflow, every status',
    list('($w: String)', 'workflowUuid: $w,'),
    uuids.map((w) => ({ w })),
  ),
  ownQuestion('20 of the organization, every status', list('', ''), [{}]),
  ownQuestion(
    '20 of a workflow, the last day',
    list('($w: String, $t: Time)', 'workflowUuid: $w, from: $t,'),
    uuids.map((w) => ({ w, t: days(1) })),
  ),
  ownQuestion(
    '20 of a workflow, until 60 days ago',
    list('($w: String, $t: Time)', 'workflowUuid: $w, to: $t,'),
    uuids.map((w) => ({ w, t: days(60) })),
  ),
  one,
  ownQuestion(
    'one execution of the oldest month',
    `query($uuid: String!) { workflowExecution(input: { uuid: $uuid }) { data { ${columns} } } }`,
    oldUuids,
  ),
  activity,
  card,
];

const head = ['', 'answers/s', '/ without', 'p50 ms', '/ without', 'processor with the database’s', '/ without'];
const started: Contender[] = [];
try {
  console.log(`${machine()}, ${await serverVersion(server)}; medians of ${rounds} rounds, alternating within each.\n`);
  const [plain, monthly] = [
    await postgresDatabase(server, executions),
    await postgresDatabase(server, executions, true),
  ];
  const store = await openRecords(monthly.url);
  for (let back = 1; back <= emptyMonths; back += 1) await store.makeAhead(Date.UTC(2026, 7 - 2 * back, 1));
  await store.close();
  console.log(`Writing: ${shown(plain.rowsPerSecond)} executions/s, by month ${shown(monthly.rowsPerSecond)}.\n`);
  started.push(
    { ...(await startService(plain)), name: 'without' },
    { ...(await startService(monthly)), name: 'by month' },
  );
  const results = [];
  for (const question of questions) if (question !== undefined) results.push(await measureOne(question));
  console.log(table(head, results));
  const writing = [plain.rowsPerSecond, monthly.rowsPerSecond];
  console.log(`Numbers: ${writeFigures('months', { executions, rounds, connections, writing, head, results })}`);
} finally {
  for (const contender of started) await contender.stop();
  await dropDatabase(server, executions);
  await dropDatabase(server, executions, true);
}

async function measureOne(question: Question): Promise<readonly (string | number)[]> {
  const lengths = await checkAnswers(question, started);
  await warmUpAll(question, lengths);
  const measured = await measure(question, lengths, connections);
  const [without = [], byMonth = []] = [...measured.values()];
  const of = (key: 'perSecond' | 'p50Ms' | 'allMs') => [medianOf(byMonth, key), ratioOf(byMonth, without, key)];
  return [question.name, ...of('perSecond'), ...of('p50Ms'), ...of('allMs')];
}
