/** Sends a payload to the app, and notes an acknowledgement that is late or that Slack would not understand. */
import type { JsonRecord } from '../../../src/shared/json.ts';
import type { Delivery, PayloadKind } from './delivery.ts';
import { SlackError } from './refusals.ts';
import type { DocumentedSlack } from './server.ts';

/** https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response: three seconds. */
const ackWithinMs = 3_000;

export function createSender({ workspace }: Pick<DocumentedSlack, 'workspace'>, { deliver }: Delivery) {
  const { clock, refuse } = workspace;
  return {
    /** @returns the content of the acknowledgement */
    send: async (what: string, kind: PayloadKind, payload: JsonRecord, attempt = 0): Promise<unknown> => {
      const before = clock.now();
      try {
        const { answer } = await deliver(kind, payload, attempt);
        const ms = clock.now() - before;
        if (ms > ackWithinMs) throw new Error(`It took ${ms} ms.`);
        return answer;
      } catch (error) {
        refuse({ call: `acknowledgement of ${what}`, error: String(error), detail: {} });
        return undefined;
      }
    },
    /** @param change shows the content of an acknowledgement, or throws a SlackError */
    apply: (what: string, change: () => void): void => {
      try {
        change();
      } catch (thrown) {
        if (!(thrown instanceof SlackError)) throw thrown;
        refuse({ call: `acknowledgement of ${what}`, error: thrown.error, detail: thrown.fields });
      }
    },
  };
}
