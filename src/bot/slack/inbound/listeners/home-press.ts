/** Answers a button or menu pressed in the Home tab, which belongs to no channel, by direct message. */

import type { Logger } from '../../../../shared/log/logger.ts';
import type { Person } from '../../../domain/person.ts';
import type { Posting } from '../../outbound/delivery/posting.ts';
import type { Answering } from './answering.ts';

export type HomePressed = {
  readonly person: Person;
  readonly line: string;
  readonly botToken: string;
  /** What opens a modal. */
  readonly triggerId: string | undefined;
};

/** Never rejects. */
export type HomePress = (pressed: HomePressed) => Promise<void>;

export type HomePressDeps = { readonly answer: Answering; readonly posting: Posting; readonly log: Logger };

export function createHomePress({ answer, posting, log }: HomePressDeps): HomePress {
  return async ({ person, line, botToken, triggerId }) => {
    const channelId = await posting.directChannel(botToken, person.userId);
    if (channelId === undefined) {
      log.warn({ teamId: person.teamId }, 'no direct messages to answer a press in the home');
      return;
    }
    const request = { line, actor: { ...person, channelId }, isFresh: false };
    // A press is acknowledged before it is dispatched, and an answer in direct messages takes no note's place.
    const answered = await answer(request, { onWait: () => undefined }, { botToken, triggerId });
    if (answered) await posting.post({ botToken, channelId }, answered.message);
  };
}
