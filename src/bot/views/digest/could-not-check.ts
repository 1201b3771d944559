/** The message in place of a digest whose failures could not be read. */
import type { AppError } from '../../../shared/errors.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, connectButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { anAdmin, bold, emoji, paragraph, plain, rich, trusted } from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { zonedTime } from '../format/time.ts';
import type { DigestFrame } from './facts.ts';
import { frameText } from './headline.ts';
import { failuresLine, missedLine } from './root.ts';

export type CouldNotCheck = DigestFrame & {
  readonly error: AppError;
  /** Epoch milliseconds. */
  readonly since: number;
  /** The admins of the bot whom it knows. */
  readonly adminIds: readonly string[];
  /** True if the next digests are skipped until a working key is set. */
  readonly isLast: boolean;
};

const lastLine = markup`From now on, digests are skipped until this workspace has a key that works; the next one says how many were skipped.`;
const sentenceUnitsMax = 400;

export function couldNotCheckMessage(facts: CouldNotCheck): Message {
  const { error, adminIds, since, zone, isLast } = facts;
  const { code, reason, hint, publicMessage } = error;
  const lacksKey = code === 'unauthorized';
  const isRefused = lacksKey && reason !== 'not_connected' && reason !== 'not_listed';
  const renew = isRefused ? rich` Ask ${anAdmin(adminIds)} to renew the key.` : [];
  const advice = isRefused || hint === undefined ? renew : rich` ${plain(hint, sentenceUnitsMax)}`;
  const missed = missedLine(facts);
  const look = commandButton({ label: 'Look now', line: failuresLine(facts), mode: 'open' });
  return message([
    paragraph(
      rich`${emoji('warning')} ${bold('Could not check')} for failures: it is not known if anything failed in this time. The check has failed since ${trusted(zonedTime(since, zone))}.\n${frameText(facts)}`,
    ),
    paragraph(rich`${plain(publicMessage, sentenceUnitsMax)}${advice}`),
    ...(missed.length === 0 && !isLast ? [] : [context([...missed, ...(isLast ? [lastLine] : [])])]),
    actions([...(lacksKey ? [connectButton()] : []), look]),
  ]);
}
