/** Signed OAuth state: binds an installation to one browser for ten minutes. Nothing is stored, since anybody may begin one. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../shared/time/clock.ts';

export type StateSigner = {
  /** @param browser id from the browser's cookie @returns the state that Slack returns with the code */
  readonly sign: (browser: string) => string;
  /** @returns when the state expires, epoch milliseconds; undefined where it is expired, forged or of another browser */
  readonly expiresAt: (state: string, browser: string) => number | undefined;
};

export const stateLifetimeMs = 10 * 60_000;
const [randomLength, timeLength, macLength] = [16, 6, 32];
const headLength = randomLength + timeLength;
/** Whole groups of base64, so that the same bytes have one spelling. */
const shape = new RegExp(`^[\\w-]{${((headLength + macLength) / 3) * 4}}$`);

/** @param secret client secret of the app, which every process of the bot has */
export function createStateSigner({ secret, clock }: { readonly secret: string; readonly clock: Clock }): StateSigner {
  const macOf = (head: Uint8Array, browser: string) =>
    createHmac('sha256', secret).update('attempt to install').update(head).update(browser).digest();
  return {
    sign: (browser) => {
      const time = Buffer.alloc(timeLength);
      time.writeUIntBE(clock() + stateLifetimeMs, 0, timeLength);
      const head = Buffer.concat([randomBytes(randomLength), time]);
      return Buffer.concat([head, macOf(head, browser)]).toString('base64url');
    },
    expiresAt: (state, browser) => {
      if (!shape.test(state)) return undefined;
      const bytes = Buffer.from(state, 'base64url');
      const head = bytes.subarray(0, headLength);
      if (!timingSafeEqual(bytes.subarray(headLength), macOf(head, browser))) return undefined;
      const expiresAt = head.readUIntBE(randomLength, timeLength);
      return expiresAt > clock() ? expiresAt : undefined;
    },
  };
}
