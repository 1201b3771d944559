/** What stands before every listener: one delivery is handled once, and strangers are told so. */
import type { AllMiddlewareArgs, AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import { readDeliveryId, readHomeTeamId } from './envelope.ts';
import { refusalMessage } from './notices.ts';
import { fullPayload } from './payload.ts';
import { type JsonRecord, readRecord, readText } from './read.ts';
import type { Respond } from './respond.ts';
import { createSeen } from './seen.ts';
import type { Refusal } from './workspaces.ts';

export type GateDeps = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly respond: Respond;
};

export function createGate({ clock, log, respond }: GateDeps): Middleware<AnyMiddlewareArgs> {
  const seen = createSeen(clock);
  return async (args) => {
    const body = readRecord(args.body);
    const { teamId } = args.context;
    const deliveryId = readDeliveryId(body);
    if (deliveryId !== undefined && !seen.isFirst(`${teamId}:${deliveryId}`)) {
      log.info({ teamId }, 'slack delivered the same thing again');
      await acknowledge(args);
      return;
    }
    const refusal = refusalOf(args.context['refusal'], body, teamId);
    if (refusal === undefined) return args.next();
    log.warn({ teamId, refusal }, 'request refused');
    await refuse(args, refusal, body, respond);
  };
}

function refusalOf(fromAuthorize: unknown, body: JsonRecord, teamId: string | undefined): Refusal | undefined {
  if (fromAuthorize === 'not_installed' || fromAuthorize === 'unavailable') return fromAuthorize;
  const home = readHomeTeamId(body);
  return home === undefined || home === teamId ? undefined : 'outsider';
}

async function refuse(
  args: AnyMiddlewareArgs & AllMiddlewareArgs,
  refusal: Refusal,
  body: JsonRecord,
  respond: Respond,
): Promise<void> {
  const payload = fullPayload(refusalMessage(refusal), { kind: 'new', visibility: 'ephemeral' });
  if ('command' in args) {
    await args.ack(payload);
    return;
  }
  await acknowledge(args);
  if ('action' in args) await respond(readText(body, 'response_url'), payload);
}

/** Bolt acknowledges events itself. */
async function acknowledge(args: AnyMiddlewareArgs): Promise<void> {
  if ('ack' in args && args.ack) await args.ack();
}
