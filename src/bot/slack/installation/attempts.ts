/** Attempts to install the bot: strangers may begin as many as they like, so what each is bound to stands in its state and nowhere else. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../shared/time/clock.ts';

export type Attempts = {
  /** @param browser what tells it from others @returns the state that Slack brings back */
  readonly begin: (browser: string) => string;
  /** @returns until when it may be ended, epoch milliseconds; undefined for one of another browser, or that is over or forged */
  readonly endsAt: (state: string, browser: string) => number | undefined;
};

export const attemptLifetimeMs = 10 * 60_000;
const [randomLength, timeLength, macLength] = [16, 6, 32];
const headLength = randomLength + timeLength;
/** Whole groups of base64, so that there is one text for the same bytes. */
const shape = new RegExp(`^[\\w-]{${((headLength + macLength) / 3) * 4}}$`);

/** @param secret of the app, which every process of the bot has */
export function createAttempts({ secret, clock }: { readonly secret: string; readonly clock: Clock }): Attempts {
  const macOf = (head: Uint8Array, browser: string) =>
    createHmac('sha256', secret).update('attempt to install').update(head).update(browser).digest();
  return {
    begin: (browser) => {
      const time = Buffer.alloc(timeLength);
      time.writeUIntBE(clock() + attemptLifetimeMs, 0, timeLength);
      const head = Buffer.concat([randomBytes(randomLength), time]);
      return Buffer.concat([head, macOf(head, browser)]).toString('base64url');
    },
    endsAt: (state, browser) => {
      if (!shape.test(state)) return undefined;
      const bytes = Buffer.from(state, 'base64url');
      const head = bytes.subarray(0, headLength);
      if (!timingSafeEqual(bytes.subarray(headLength), macOf(head, browser))) return undefined;
      const endsAt = head.readUIntBE(randomLength, timeLength);
      return endsAt > clock() ? endsAt : undefined;
    },
  };
}
