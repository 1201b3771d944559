/** Who may import whom: the table that becomes Biome's layer guard (biome.layers.json). Type imports count. */

/** Every runtime package, so that a folder's forbidden packages are what its row does not name. */
const packages = [
  '@graphql-typed-document-node/core',
  '@napi-rs/canvas',
  '@slack/bolt',
  '@slack/socket-mode',
  '@slack/types',
  '@slack/web-api',
  'graphql',
  'graphql-jit',
  'graphql-request',
  'ipaddr.js',
  'kysely',
  'node-cache',
  'pg',
  'pino',
  'prom-client',
  'preact',
  'temporal-polyfill',
  'undici',
  'ws',
  'zod',
] as const;

type Package = (typeof packages)[number];
type Layer = { readonly files: string; readonly folders: readonly string[]; readonly packages: readonly Package[] };

/** One row a folder; a row further down overrides one above it where both match a file. */
const layers: readonly Layer[] = [
  { files: 'core', folders: ['generated'], packages: ['temporal-polyfill'] },
  { files: 'generated', folders: [], packages: ['@graphql-typed-document-node/core'] },
  { files: 'insight', folders: ['core', 'generated'], packages: [] },
  { files: 'views', folders: ['core', 'insight', 'generated'], packages: ['@slack/types'] },
  { files: 'pictures', folders: ['core'], packages: ['@napi-rs/canvas'] },
  { files: 'http', folders: ['core'], packages: [] },
  { files: 'sql', folders: ['core'], packages: ['kysely', 'pg'] },
  { files: 'service', folders: ['core', 'generated', 'http', 'sql'], packages: ['graphql', 'graphql-jit', 'kysely'] },
  { files: 'store', folders: ['core', 'sql'], packages: ['kysely'] },
  {
    files: 'query',
    folders: ['core', 'generated'],
    packages: [
      'graphql',
      'graphql-request',
      'ipaddr.js',
      'node-cache',
      'undici',
      'zod',
      '@graphql-typed-document-node/core',
    ],
  },
  { files: 'connection', folders: ['core', 'query', 'store', 'views'], packages: [] },
  {
    files: 'commands',
    folders: ['core', 'query', 'store', 'connection', 'digests', 'insight', 'views'],
    packages: ['zod'],
  },
  { files: 'digests', folders: ['core', 'query', 'store', 'insight', 'views'], packages: [] },
  {
    files: 'slack',
    folders: ['core', 'commands', 'http', 'store', 'views'],
    packages: ['@slack/bolt', '@slack/socket-mode', '@slack/types', '@slack/web-api', 'undici'],
  },
  {
    files: 'playground',
    folders: ['core', 'commands', 'views', 'service'],
    packages: ['@slack/types', 'preact', 'ws'],
  },
];

const depths = ['../', '../../', '../../../'] as const;

function guard(layer: Layer, depth: number, ...files: readonly string[]) {
  const up = depths[depth] ?? '';
  const allowed = layer.folders.map((folder) => `!${up}${folder}/**`);
  const message = `${layer.files}/ may import only ${[...layer.folders, 'itself'].join(', ')} from src (CONTRIBUTING.md).`;
  const forbidden = packages.filter((name) => !layer.packages.includes(name));
  return {
    includes: files,
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error',
            options: {
              paths: Object.fromEntries(forbidden.map((name) => [name, `${layer.files}/ may not use ${name}.`])),
              patterns: [{ group: [`${up}**`, ...allowed], message }],
            },
          },
        },
      },
    },
  };
}

/** The overrides of biome.layers.json: for each folder, one guard for each depth of its files. */
export function layerOverrides() {
  const byFolder = layers.flatMap((layer) => [
    guard(layer, 0, `src/${layer.files}/*.ts`),
    guard(layer, 1, `src/${layer.files}/*/*.ts`),
    guard(layer, 2, `src/${layer.files}/*/*/*.ts`),
  ]);
  const commandViews: Layer = {
    files: 'commands',
    folders: ['core', 'insight', 'views', 'generated'],
    packages: ['@slack/types'],
  };
  const recordTransfer: Layer = { files: 'service', folders: ['core'], packages: ['zod'] };
  return {
    overrides: [
      ...byFolder,
      guard(commandViews, 1, 'src/commands/*/*.ts', '!src/commands/*/command.ts'),
      guard(recordTransfer, 1, 'src/service/transfer/*.ts'),
    ],
  };
}
