/** Sends a message in its whole form, and in a simpler one if Slack refuses it or fails on its blocks. */
import type { Logger } from '../../../../shared/log/logger.ts';
import { errorMeans, type Failure } from '../../../domain/slack-errors.ts';
import type { Content } from './payload.ts';

export type Forms<Form extends Content> = readonly [Form, ...Form[]];

const refusedBlocks = 'slack refused the blocks, sending a simpler form';
const failedOnBlocks = 'slack failed on the blocks, sending a simpler form';

type Options = {
  /** True if a message that was accepted in spite of the failure does no harm: one person sees both, or it is replaced. */
  readonly isRepeatable: boolean;
  readonly log: Logger;
};

/** @param send never rejects; decides itself about retries of the same form */
export async function sendForms<Form extends Content, Sent extends { readonly kind: string }>(
  [whole, ...simpler]: Forms<Form>,
  send: (form: Form) => Promise<Sent | Failure>,
  { isRepeatable, log }: Options,
): Promise<Sent | Failure> {
  let sent = await send(whole);
  for (const form of simpler) {
    if (!('error' in sent)) break;
    const isFailure = isRepeatable && errorMeans(sent.error, 'fails_on_blocks') && form.blocks !== undefined;
    if (sent.kind !== 'content' && !isFailure) break;
    const what = isFailure ? failedOnBlocks : refusedBlocks;
    log.error({ error: sent.error }, what);
    sent = await send(form);
  }
  return sent;
}

/** @returns the form with lists; undefined if the message is in this form already */
export function listed<Form extends Content>([, simpler]: Forms<Form>): Form | undefined {
  return simpler?.blocks && simpler;
}
