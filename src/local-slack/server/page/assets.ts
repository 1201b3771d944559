/**
 * Serves the page's own files: HTML, style sheets, TypeScript modules as JavaScript, libraries and fonts. A path is looked up
 * in a table and never joined to a folder, so nothing else is reachable.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { LRUCache } from 'lru-cache';
import { contentSecurityPolicy, type HttpAnswer } from '../http.ts';

const folder = new URL('../../page/', import.meta.url);

/** Files of packages, by the path in the page's import map and style sheet. */
const packageFiles: Readonly<Record<string, string>> = {
  'vendor/preact.mjs': import.meta.resolve('preact'),
  'vendor/preact-hooks.mjs': import.meta.resolve('preact/hooks'),
  'vendor/htm.mjs': import.meta.resolve('htm'),
  'vendor/htm-preact.mjs': import.meta.resolve('htm/preact'),
  'fonts/twemoji.woff2': import.meta.resolve('twemoji-colr-font/twemoji.woff2'),
};

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  ts: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** JavaScript by the text of its module. */
const compiled = new LRUCache<string, string>({ max: 100, memoMethod: (source) => stripTypeScriptTypes(source) });

/** Reads files on each request, so that an edited module shows after a reload. */
export class PageFiles {
  readonly #headers: Readonly<Record<string, string>>;
  /** By the path of a request, such as `/` or `/assets/main.ts`. */
  readonly #locations: ReadonlyMap<string, URL>;

  constructor() {
    const index = new URL('index.html', folder);
    const own = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => extension(name) in contentTypes);
    const policy = pagePolicy(readFileSync(index, 'utf8'));
    this.#headers = { 'cross-origin-opener-policy': 'same-origin', 'content-security-policy': policy };
    this.#locations = new Map([
      ['/', index],
      ...own.map((name) => [`/assets/${name}`, new URL(name, folder)] as const),
      ...Object.entries(packageFiles).map(([name, url]) => [`/assets/${name}`, new URL(url)] as const),
    ]);
  }

  /** @returns undefined for an unknown path */
  async read(pathname: string): Promise<HttpAnswer | undefined> {
    const location = this.#locations.get(pathname);
    if (!location) return undefined;
    const kind = extension(location.pathname);
    const bytes = await readFile(location);
    const headers = {
      ...this.#headers,
      'content-type': contentTypes[kind] ?? 'application/octet-stream',
      'cache-control': kind === 'woff2' ? 'max-age=86400' : 'no-cache',
    };
    return { status: 200, headers, body: kind === 'ts' ? compiled.memo(bytes.toString('utf8')) : bytes };
  }
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** An import map counts as a script and is allowed by its hash. */
function pagePolicy(html: string): string {
  const [, importMap = ''] = /<script type="importmap">([^<]*)<\/script>/.exec(html) ?? [];
  const hash = createHash('sha256').update(importMap).digest('base64');
  return contentSecurityPolicy(`script-src 'self' 'sha256-${hash}'`, "connect-src 'self'", "form-action 'none'");
}
