/** The state of one workspace: people, conversations, messages, views, triggers, and what the app may do. */
import { EventEmitter, once } from 'node:events';
import { isRecord, type JsonRecord, readRecord } from '../../../src/shared/json.ts';
import { createFairClock } from './fair-clock.ts';

export type Conversation = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  /** False if the app was not invited. */
  readonly isMember: boolean;
};

export type SlackMessage = {
  readonly ts: string;
  readonly channel: string;
  text: string;
  blocks: readonly JsonRecord[];
  /** `ts` of its thread's root; a root has its own as soon as it has a reply. */
  threadTs: string | undefined;
  readonly metadata: unknown;
  /** The only person who sees it; undefined if the conversation does. */
  readonly viewer: string | undefined;
  readonly files: readonly JsonRecord[];
  readonly author: string;
  isDeleted: boolean;
};

export type SlackView = {
  readonly id: string;
  readonly user: string;
  /** As the app sent it. */
  view: JsonRecord;
  hash: string;
  readonly rootId: string;
  readonly previousId: string | null;
  isOpen: boolean;
  /** Shown beside its inputs, by block id. */
  errors: JsonRecord;
};

/** A message or a view that a person sees, new or changed. */
export type Shown = { readonly message: SlackMessage } | { readonly view: SlackView };

export type Refusal = { readonly call: string; readonly error: string; readonly detail: JsonRecord };

export const app = {
  id: 'A0DOCAPP',
  botId: 'B0DOCBOT',
  userId: 'U0DOCBOT',
  name: 'workflow-bot',
  token: 'xoxb-1000-2000-documented',
  /** The token of an app with token rotation. */
  expiringToken: 'xoxe.xoxb-1-documented-expiring',
  refreshToken: 'xoxe-1-documented-refresh',
  appToken: 'xapp-1-A0DOCAPP-3000-documented',
  verificationToken: 'verification-of-old-apps',
} as const;

export const team = { id: 'T0DOC', name: 'Documented', domain: 'documented' } as const;
const conversations: readonly Conversation[] = [
  { id: 'C0GENERAL', name: 'general', kind: 'public', isMember: true },
  { id: 'C0OPS', name: 'ops', kind: 'public', isMember: true },
  { id: 'G0SECRET', name: 'secret', kind: 'private', isMember: true },
  { id: 'C0OTHER', name: 'other', kind: 'public', isMember: false },
];

export type Workspace = ReturnType<typeof createWorkspace>;

/** https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses: a trigger works once, within three seconds. */
const triggerLifetimeMs = 3_000;

const linesMax = 20;

/** @returns a line for each kind of refusal, the first ones */
export function refusalLines(refusals: readonly Refusal[]): readonly string[] {
  const lines = refusals.map(({ call, error, detail }) => {
    const { errors = [] } = detail;
    return `${call}: ${error} ${JSON.stringify(Array.isArray(errors) ? errors.slice(0, 3) : detail)}`;
  });
  return [...new Set(lines)].slice(0, linesMax);
}

/** Long enough for a bot on a busy machine. */
const waitMs = 200_000;

export function createWorkspace(scopes: readonly string[]) {
  const clock = createFairClock();
  const news = new EventEmitter().setMaxListeners(0);
  const messages: SlackMessage[] = [];
  const views: SlackView[] = [];
  const shown: Shown[] = [];
  const triggers = new Map<
    string,
    { readonly user: string; readonly at: number; viewId: string | undefined; isUsed: boolean }
  >();
  const refusals: Refusal[] = [];
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const directIdOf = (user: string) => `D${user.slice(1)}`;
  const show = (one: Shown) => {
    shown.push(one);
    news.emit('shown', one);
    news.emit('news');
  };
  return {
    scopes,
    clock,
    messages,
    views,
    shown,
    refusals,
    next,
    show,
    directIdOf,
    onShown: (listen: (one: Shown) => void) => void news.on('shown', listen),
    /** Unique and ordered, like Slack's. */
    newTs: () => `${Math.floor(Date.now() / 1000)}.${String(next()).padStart(6, '0')}`,
    find: (id: string): Conversation | undefined => {
      const known = conversations.find((each) => each.id === id);
      if (known || !/^[CD]0P\d+$/.test(id)) return known;
      // Each person has a channel beside the direct messages with the app; every second one is private.
      const channelKind = Number(id.slice(3)) % 2 === 0 ? 'public' : 'private';
      return { id, name: id.toLowerCase(), kind: id.startsWith('D') ? 'im' : channelKind, isMember: true };
    },
    newTrigger: (user: string, viewId?: string) => {
      const id = `${next()}.${next()}.${'f'.repeat(32)}`;
      triggers.set(id, { user, at: clock.now(), viewId, isUsed: false });
      return id;
    },
    /** @returns whose trigger it was, or the error that Slack documents for views.open */
    useTrigger: (id: string) => {
      const trigger = triggers.get(id);
      if (!trigger) return 'invalid_trigger_id';
      if (trigger.isUsed) return 'exchanged_trigger_id';
      if (clock.now() - trigger.at > triggerLifetimeMs) return 'expired_trigger_id';
      trigger.isUsed = true;
      return trigger;
    },
    refuse: (refusal: Refusal) => {
      refusals.push(refusal);
      news.emit('news');
    },
    /** @param what is waited for @returns the first value that `look` finds, now or after something changed */
    until: async <Found>(what: () => string, look: () => Found | undefined): Promise<Found> => {
      const signal = AbortSignal.timeout(waitMs);
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        await once(news, 'news', { signal }).catch(() => {
          throw new Error(`There was nothing to be seen of ${what()}. Refused: ${refusalLines(refusals).join('\n')}`);
        });
      }
    },
    changed: () => void news.emit('news'),
  };
}

/** Slack names what an app leaves unnamed. */
export function named(blocks: unknown, { next }: Pick<Workspace, 'next'>): readonly JsonRecord[] {
  return (Array.isArray(blocks) ? blocks : []).map((block) => {
    const { block_id: id = `b${next()}`, elements, accessory, element, ...rest } = readRecord(block);
    const name = (each: unknown) =>
      isRecord(each) && 'type' in each && rest['type'] !== 'rich_text' && rest['type'] !== 'context'
        ? { action_id: `a${next()}`, ...each }
        : each;
    return {
      ...rest,
      block_id: id,
      ...(Array.isArray(elements) && { elements: elements.map(name) }),
      ...(accessory !== undefined && {
        accessory: readRecord(accessory)['type'] === 'image' ? accessory : name(accessory),
      }),
      ...(element !== undefined && { element: name(element) }),
    };
  });
}

export function isPerson(id: unknown): boolean {
  return typeof id === 'string' && /^U0[A-Z0-9]+$/.test(id) && id !== app.userId;
}
