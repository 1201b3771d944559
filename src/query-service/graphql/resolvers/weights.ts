/** How many records each operation may bring back: what a document asks for is counted before it runs. */
import { type Optional, type PageInput, pageLimit } from './input.ts';

type Input = { readonly page?: Optional<PageInput> };

const ofPage = ({ page }: Input) => pageLimit(page);

/**
 * By the name of the root field; any other is one record. Logs are 10,000 lines of a kilobyte at
 * most: a document has room for those of one execution. Events are some hundred, and days of activity are small.
 */
const weights = new Map<string, (input: Input) => number>([
  ['workflows', ofPage],
  ['workflowDeployments', ofPage],
  ['workflowExecutions', ofPage],
  ['workflowActivity', () => 100],
  ['workflowExecutionLogs', () => 750],
  ['workflowExecutionEvents', () => 50],
]);

/** @param input as GraphQL has coerced it; undefined where it is wrong, and nothing will be read */
export function weightOf(fieldName: string, input: unknown): number {
  return typeof input === 'object' && input !== null ? (weights.get(fieldName)?.(input) ?? 1) : 1;
}
