/** A query service whose failures are as hard to read as possible; other replies come from the test world. */
import { randomUUID } from 'node:crypto';
import { type HostileHttp, startHostileHttp } from '../../test/support/service/hostile-http.ts';
import { answerInWorld, plainTexts, worldUuids } from '../../test/support/service/world.ts';

export const failuresMax = 1_000;
const errorUnits = 10_000;
const everyMs = 30_000;

/** Beginnings without an end, near matches, and nested escapes. */
const kinds = [
  ...['“', '‘', '«', '`', '"', "'a ", '[', '{', '(', '{"', '["', "'s ", '\\"', '\\\\"', 'key=', 'key="', 'password='],
  ...[
    '-----BEGIN RSA PRIVATE KEY-----',
    'eyJ',
    'Bearer ',
    'https://a:',
    'https://a/b?',
    '0x08c379a0',
    '{"error":"',
    '…: ',
  ],
  ...['failed: ', '[a] ', '(a…', 'a@1: ', '<p', '\u001b[', 'é\u0301', '账a', '\n at ', 'caused by: '],
];
const errors = kinds.map((kind) => kind.repeat(Math.ceil(errorUnits / kind.length)).slice(0, errorUnits));

type Input = {
  readonly from?: string;
  readonly to?: string;
  readonly status?: readonly string[];
  readonly page?: { readonly number?: number; readonly size?: number };
};

/** @param isEndless whether there is an execution every thirty seconds without end, for an export */
export async function startHostileService(): Promise<
  HostileHttp & { readonly beEndless: (isEndless: boolean) => void }
> {
  const startedAt = Date.now();
  let total = failuresMax;
  const server = await startHostileHttp(async (request, response) => {
    const { query, variables } = JSON.parse(request.body);
    const isList = /^\s*query WorkflowExecutions\b|workflowExecutions\(input: \$input\)/.test(query);
    const text = isList
      ? JSON.stringify({ data: { workflowExecutions: page(variables.input, startedAt, total) } })
      : JSON.stringify(await answerInWorld(request, plainTexts));
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  return {
    ...server,
    beEndless: (isEndless) => {
      total = isEndless ? Number.POSITIVE_INFINITY : failuresMax;
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

/** Newest first. */
function page({ from, to, page: wanted }: Input, startedAt: number, total: number) {
  const { number = 0, size = 100 } = wanted ?? {};
  const newest = Math.max(0, Math.ceil((startedAt - Date.parse(to ?? '9999-01-01T00:00:00Z')) / everyMs));
  const oldest = Math.min(total - 1, Math.floor((startedAt - Date.parse(from ?? '2000-01-01T00:00:00Z')) / everyMs));
  const first = newest + number * size;
  const length = Math.max(0, Math.min(size, oldest - first + 1));
  const data = Array.from({ length }, (_, index) => rowAt(first + index, startedAt));
  return { data, count: Number.isFinite(total) ? Math.max(0, oldest - newest + 1) : null };
}

const uuids: string[] = [];

function rowAt(index: number, startedAt: number) {
  uuids[index] ??= randomUUID();
  const at = startedAt - index * everyMs;
  return {
    uuid: uuids[index],
    id: index.toString(16).padStart(64, '0'),
    workflowName: plainTexts.workflowName,
    workflowUUID: worldUuids.workflow,
    status: 'FAILURE',
    classifiedStatus: 'USER_ERROR',
    startedAt: new Date(at).toISOString(),
    finishedAt: new Date(at + 1000).toISOString(),
    errors: [{ error: `${index} ${errors[index % errors.length]}`, count: 9 }],
  };
}
