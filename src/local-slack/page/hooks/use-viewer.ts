/** Whose eyes the page looks through, and a clock that moves what is told in relation to now. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Viewer, visibleChannels } from '../model/viewer.ts';
import type { PageState, PageUser } from '../protocol.ts';

const tickMs = 30_000;

type Opening = Pick<Viewer, 'openChannel' | 'openMessage'>;

export function useViewer(state: PageState, userId: string, opening: Opening): Viewer {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return useMemo(() => {
    const users = new Map([...state.users, bot(state)].map((user) => [user.id, user]));
    const channels = new Map(visibleChannels(state.channels, userId).map((channel) => [channel.id, channel]));
    const timeZone = users.get(userId)?.timeZone ?? 'UTC';
    return { userId, users, channels, timeZone, now, origin: location.origin, ...opening };
  }, [state, userId, now]);
}

/** An app that was removed has still said what it said. */
function bot({ app }: PageState): PageUser {
  return {
    id: app.botUserId,
    name: app.name,
    realName: app.name,
    isAdmin: false,
    isBot: true,
    guest: null,
    timeZone: 'Etc/UTC',
  };
}
