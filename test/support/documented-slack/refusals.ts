/** How Slack refuses a call. */
import type { JsonRecord } from '../../../src/shared/json.ts';
import type { Problem } from './contract/conform.ts';

/** A refusal with the error that the method's page documents. */
export class SlackError extends Error {
  readonly error: string;
  readonly fields: JsonRecord;
  constructor(error: string, fields: JsonRecord = {}) {
    super(error);
    this.error = error;
    this.fields = fields;
  }
}

/** @param problems none is no error */
export function refuseProblems(error: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const errors = problems.map(({ pointer, message }) => `${message} [json-pointer:${pointer}]`);
  throw new SlackError(error, { errors, response_metadata: { messages: errors.map((each) => `[ERROR] ${each}`) } });
}
