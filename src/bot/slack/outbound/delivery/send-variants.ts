/** Sends a message whole, and in a simpler variant if Slack refuses it or fails on its blocks. */
import type { Logger } from '../../../../shared/log/logger.ts';
import { errorMeans } from '../../../domain/slack-errors.ts';
import { type Done, type RetryOptions, retryNotSent } from '../web-api/retry.ts';
import type { Content } from './payload.ts';

const refusedBlocks = 'slack refused the blocks, sending a simpler form';
const failedOnBlocks = 'slack failed on the blocks, sending a simpler form';

/** @param call may throw the errors of @slack/web-api and fetch @returns as `retryNotSent` */
export async function sendVariants<Variant extends Content>(
  [whole, ...simpler]: readonly [Variant, ...Variant[]],
  call: (variant: Variant) => Promise<Done>,
  { log, ...retrying }: RetryOptions & { readonly log: Logger },
): Promise<Done> {
  let sent = await retryNotSent(() => call(whole), retrying);
  for (const variant of simpler) {
    if (!('error' in sent)) break;
    const isFailure =
      retrying.isRepeatable === true && errorMeans(sent.error, 'fails_on_blocks') && variant.blocks !== undefined;
    if (sent.kind !== 'content' && !isFailure) break;
    log.error({ error: sent.error }, isFailure ? failedOnBlocks : refusedBlocks);
    sent = await retryNotSent(() => call(variant), retrying);
  }
  return sent;
}
