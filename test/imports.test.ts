/** Who may import whom: programs never import each other, data flows one way, and no file imports itself through others. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circles, type Rule, violations } from './support/runner/imports.ts';

const bot = (...folders: readonly string[]) => folders.map((folder) => `src/bot/${folder}`);
const row = (folder: string, folders: readonly string[], ...packages: readonly string[]): Rule => ({
  folder: `src/${folder}`,
  folders: folder === 'shared' ? folders : ['src/shared', ...folders],
  packages,
});

/** The row of a file is the longest folder that contains it. */
const table: readonly Rule[] = [
  row('bin', ['src/bot', 'src/query-service', 'src/local-slack'], 'pino'),
  row('shared', [], '@slack/types', 'kysely', 'lru-cache', 'pg', 'pino', 'prom-client', 'zod'),
  row('query-service', [], 'prom-client', 'zod'),
  row('query-service/graphql', ['src/query-service', 'queries/schema.graphql'], 'graphql'),
  row('query-service/records', ['src/query-service'], 'kysely'),
  row('local-slack', [], '@slack/types', 'htm', 'lru-cache', 'preact'),
  row('bot', [], 'prom-client', 'undici', 'zod'),
  row('bot/domain', [], 'temporal-polyfill', 'zod'),
  row('bot/insight', bot('domain')),
  row('bot/views', bot('domain', 'insight'), '@slack/types'),
  row('bot/rendering', [], '@napi-rs/canvas'),
  row('bot/store', bot('domain'), 'kysely'),
  row(
    'bot/query',
    bot('domain'),
    ...['@graphql-typed-document-node/core', 'graphql', 'graphql-request', 'ipaddr.js', 'node-cache', 'undici', 'zod'],
  ),
  row('bot/connection', bot('domain', 'query', 'store', 'views')),
  row('bot/outbox', bot('domain', 'store', 'views')),
  row('bot/health', bot('domain', 'query', 'insight')),
  row('bot/digests', bot('domain', 'query', 'store', 'outbox', 'health', 'insight', 'views')),
  row(
    'bot/commands',
    bot('domain', 'query', 'store', 'connection', 'outbox', 'digests', 'health', 'insight', 'views'),
    ...['@slack/types', 'zod'],
  ),
  row(
    'bot/slack',
    bot('domain', 'commands', 'store', 'outbox', 'views'),
    '@slack/bolt',
    '@slack/types',
    '@slack/web-api',
    'undici',
  ),
];

const root = new URL('../', import.meta.url).pathname;
const files = globSync('src/**/*.{ts,mjs}', { cwd: root });
const sources = new Map(files.map((file) => [file, readFileSync(root + file, 'utf8')]));

/** The view of a command turns results into a message: it sends no query. */
const viewFiles = files.filter((file) => /^src\/bot\/commands\/words\/\w+\/view\.ts$/.test(file));
const viewRows = viewFiles.map((file) =>
  row(
    file.slice('src/'.length),
    [...bot('domain', 'insight', 'views', 'query/generated', 'commands/framework'), dirname(file)],
    '@slack/types',
  ),
);

describe('the imports of src', () => {
  it('are in the table', () => {
    expect(violations(sources, [...table, ...viewRows])).toEqual([]);
  });

  it('have no cycle, types included', () => {
    expect(circles(sources)).toEqual([]);
  });

  it.each([
    ['another program', 'src/bot/slack/x.ts', "import type { Service } from '../../query-service/service.ts';"],
    ['a program from what programs share', 'src/shared/x.ts', "import { clean } from '../bot/domain/role.ts';"],
    ['a later step', 'src/bot/insight/x.ts', "import type { Message } from '../views/blocks/message.ts';"],
    ['a package of another folder', 'src/bot/commands/x.ts', "import { App } from '@slack/bolt';"],
    [
      'something outside of src',
      'src/bot/store/x.ts',
      "import { world } from '../../../test/support/service/world.ts';",
    ],
    ['nothing, in a file that no row covers', 'src/new/x.ts', ''],
  ])('that are of %s are refused', (_, file, source) => {
    expect(violations(new Map([[file, source]]), table)).toHaveLength(1);
  });

  it('that form a cycle through a type are found', () => {
    const planted = new Map([
      ['src/shared/a.ts', "import type { B } from './b.ts';"],
      ['src/shared/b.ts', "import { a } from './c.ts';"],
      ['src/shared/c.ts', "export type { A } from './a.ts';"],
    ]);
    expect(circles(planted)).toEqual([['src/shared/a.ts', 'src/shared/b.ts', 'src/shared/c.ts', 'src/shared/a.ts']]);
  });
});

describe('the folders of src', () => {
  /** Lists: one entry for each command, one for each migration. */
  const lists = ['src/bot/commands/words', 'src/bot/store/migrations'];

  it('have at most 18 entries', () => {
    const folders = globSync('src/**/', { cwd: root }).filter((folder) => !lists.includes(folder.replace(/\/$/, '')));
    const long = folders.filter((folder) => readdirSync(root + folder).length > 18);
    expect(long).toEqual([]);
  });
});
