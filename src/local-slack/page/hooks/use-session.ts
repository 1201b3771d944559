/** The page's connection to its server: the model, and the actions of the person. */
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';
import type { Press } from '../blocks/scope.ts';
import { listen, post } from '../client.ts';
import { type Change, firstModel, type InitialRoute, type Model, pressKey, reduce } from '../model/model.ts';
import { hasHome } from '../model/viewer.ts';
import type { InputValues, PageEvent, PageMessage, PageResult } from '../protocol.ts';
import { readPermalink } from '../text/url.ts';

type PressTarget = Pick<PageMessage, 'channel' | 'ts'> | { readonly view: string; readonly values: InputValues };

export type Session = {
  readonly model: Model;
  readonly dispatch: (change: Change) => void;
  /** The number of sent texts. */
  readonly sentCount: number;
  /** The number of commands without a reply. */
  readonly waiting: number;
  readonly send: (text: string, threadTs: string | null) => void;
  /** Presses an element of a message, or of a view with the entered values; it is pending until the reply. */
  readonly press: (target: PressTarget, pressed: Press) => Promise<PageResult>;
  /** Shows the person if a request fails, until the next act. */
  readonly report: (answer: Promise<PageResult>) => Promise<void>;
  /** Counts the request as waiting. */
  readonly whileWaiting: (work: Promise<void>) => Promise<void>;
};

export function useSession(): Session {
  const [model, dispatch] = useReducer(reduce, readRoute(), firstModel);
  const [sentCount, setSentCount] = useState(0);
  const [waiting, setWaiting] = useState(0);
  useServer(model, dispatch);
  useAddress(model);
  useAppOpened(model);
  const { userId: user, channelId: channel } = model;
  const report = async (answer: Promise<PageResult>) => {
    dispatch({ type: 'problem', problem: null });
    const result = await answer;
    if (!result.ok) dispatch({ type: 'problem', problem: result.error });
  };
  const whileWaiting = async (work: Promise<void>) => {
    setWaiting((count) => count + 1);
    await work;
    setWaiting((count) => count - 1);
  };
  return {
    ...{ model, dispatch, sentCount, waiting, report, whileWaiting },
    send: (text, threadTs) => {
      setSentCount((count) => count + 1);
      const sent = report(post('send', { user, channel, threadTs, text }));
      if (text.startsWith('/')) void whileWaiting(sent);
    },
    press: async (target, pressed) => {
      const key = pressKey({ ...target, ...pressed });
      dispatch({ type: 'pending', key, isPending: true });
      const result = await post('action', { user, ...target, ...pressed });
      dispatch({ type: 'pending', key, isPending: false });
      return result;
    },
  };
}

/** Listens to the events of the acting person, which begin with the state and the open channel's messages. */
function useServer({ teamId, userId, channelId }: Model, dispatch: (change: Change) => void): void {
  // Before any further event: those of the former stream are for another workspace, person or channel.
  useLayoutEffect(() => {
    const onLost = () => dispatch({ type: 'lost' });
    const onEvents = (events: readonly PageEvent[]) => {
      for (const event of events) dispatch({ type: 'event', event });
    };
    return listen({ team: teamId, user: userId, channel: channelId }, { onEvents, onLost });
  }, [teamId, userId, channelId]);
}

/** Reports an opened app tab, as soon as the app is connected. */
function useAppOpened({ state, userId, channelId, tab, stream }: Model): void {
  const isApp = state?.channels.some((channel) => channel.id === channelId && hasHome(channel, state)) === true;
  const canReceive = stream === 'open' && state?.app.isConnected === true;
  useEffect(() => {
    if (isApp && canReceive) void post('home', { user: userId, tab });
  }, [isApp, userId, channelId, tab, canReceive]);
}

/** Writes workspace, person and channel to the page's address as they are drawn, for reloads and links. */
function useAddress({ teamId, userId, channelId }: Model): void {
  useLayoutEffect(() => {
    const address = new URLSearchParams({ team: teamId, as: userId, channel: channelId });
    if (userId !== '') history.replaceState(null, '', `/#${address}`);
  }, [teamId, userId, channelId]);
}

function readRoute(): InitialRoute {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const message = readPermalink(location.href, location.origin);
  return {
    // A permalink names the channel, and the channel the workspace.
    teamId: message ? '' : (wanted.get('team') ?? ''),
    userId: wanted.get('as') ?? '',
    channelId: message?.channel ?? wanted.get('channel') ?? '',
    ...{ threadTs: message?.threadTs ?? null, targetTs: message?.ts ?? null },
  };
}
