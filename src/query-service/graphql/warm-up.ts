/** Prepares a heavy document at start, so that V8 has compiled that code before the first requests. */
import { prepare } from './prepare-document.ts';
import { createSchema } from './schema.ts';

/** More rounds make the first unknown documents of a flood little faster, but the start slower. */
const rounds = 4;

const executionFields = 'uuid id workflowName status startedAt finishedAt creditUsed errors { error count }';
const executions = (index: number) =>
  `a${index}: workflowExecutions(input: { search: "a", orderBy: { field: ID, order: ASC }, page: { size: 9 } }) {
    count data { ${executionFields} }
  }`;
const heavyDocument = `{ ${Array.from({ length: 15 }, (_, index) => executions(index)).join('\n')} }`;

/**
 * Without it the code of validation is compiled while the first unknown documents wait, which holds the event loop, and
 * with it the health check, three times as long.
 */
export function warmUp(): void {
  const schema = createSchema();
  for (let round = 0; round < rounds; round += 1) prepare(schema, heavyDocument);
}
