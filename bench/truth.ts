/** `npm run bench -- truth [section]`: error rates of the sentences that the bot infers, as docs/truth.md states them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { table, writeFigures } from './support/figures.ts';
import type { TruthSection } from './truth/section.ts';

const wanted = process.argv[3] ?? '';
const folder = join(import.meta.dirname, 'truth');
const names = readdirSync(folder)
  .map((file) => file.slice(0, -3))
  .filter((name) => name !== 'section' && name.includes(wanted));
if (names.length === 0) {
  console.error(`no section is named ${wanted}`);
  process.exit(2);
}

const sections: Record<string, TruthSection> = {};
for (const name of names) {
  const { measure } = (await import(join(folder, `${name}.ts`))) as { readonly measure: () => Promise<TruthSection> };
  const section = await measure();
  sections[name] = section;
  console.log(`## ${section.title}\n\n${table(section.head, section.rows)}\n`);
}
console.log(`Numbers: ${writeFigures('truth', sections)}`);
process.exit(0);
