/** Finds out which app a bot token belongs to, so that the token of another app is refused. */
import type { SlackClients } from './client.ts';

/** From an answer of auth.test. */
export type TokenFacts = { readonly app_id?: string; readonly bot_id?: string };

/**
 * https://docs.slack.dev/reference/methods/auth.test names the app of some kinds of token, bots.info that of every bot.
 * @returns undefined where Slack does not say, or cannot be asked; never rejects
 */
export async function appOfToken(clients: SlackClients, botToken: string, facts: TokenFacts) {
  const named = readAppId(facts.app_id);
  if (named !== undefined || facts.bot_id === undefined) return named;
  const told = await clients
    .of(botToken)
    .bots.info({ bot: facts.bot_id })
    .catch(() => undefined);
  return readAppId(told?.bot?.app_id);
}

/** @returns undefined for what no sentence may repeat */
export function readAppId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined;
}
