/** The page's model: its changes, and rows of messages. */
import { describe, expect, it } from 'vitest';
import { windowId } from '../../../src/local-slack/page/client.ts';
import { channelRows, threadRows } from '../../../src/local-slack/page/model/messages.ts';
import { type Change, firstModel, type Model, pressKey, reduce } from '../../../src/local-slack/page/model/model.ts';
import type { PageMessage, PageState } from '../../../src/local-slack/page/protocol.ts';

const person = { isAdmin: false, guest: null, isExternal: false, isBot: false, timeZone: 'Europe/Berlin' };
const state: PageState = {
  workspace: { id: 'T1', name: 'Acme', isInstalled: true, isOffered: false, isOnGrid: false },
  workspaces: [{ id: 'T1', name: 'Acme', isInstalled: true, isOffered: false, isOnGrid: false }],
  app: {
    name: 'Bot',
    botUserId: 'UBOT',
    slashCommand: '/workflow',
    isConnected: true,
    hasHome: true,
    installUrl: null,
    shortcuts: [],
  },
  users: [
    { ...person, id: 'UBOT', name: 'bot', realName: 'Bot', isBot: true },
    { ...person, id: 'U1', name: 'ada', realName: 'Ada' },
    { ...person, id: 'U2', name: 'ben', realName: 'Ben' },
  ],
  channels: [
    { id: 'C0', name: 'elsewhere', kind: 'public', memberIds: [], isArchived: false, isShared: false },
    { id: 'C1', name: 'general', kind: 'public', memberIds: ['U1', 'U2'], isArchived: false, isShared: false },
    { id: 'C2', name: 'secret', kind: 'private', memberIds: ['U1'], isArchived: false, isShared: false },
  ],
  commands: [],
};

function sent(ts: string, more: Partial<PageMessage> = {}): PageMessage {
  const message = { channel: 'C1', ts, threadTs: null, user: 'UBOT', text: ts, blocks: [] };
  return { ...message, files: [], isEphemeral: false, isEdited: false, ...more };
}

function after(...changes: readonly Change[]): Model {
  const start: Change = { type: 'event', event: { type: 'state', state } };
  return [start, ...changes].reduce(
    reduce,
    firstModel({ teamId: '', userId: '', channelId: '', threadTs: null, targetTs: null }),
  );
}

const heard = (message: PageMessage): Change => ({ type: 'event', event: { type: 'message', message } });
const texts = (model: Model, channel = 'C1') => model.messages.get(channel)?.map(({ text }) => text);

describe('the model', () => {
  it('begins as the first person, in the first channel of theirs', () => {
    expect(after()).toMatchObject({ userId: 'U1', channelId: 'C1' });
  });

  it('shows no modal that was open before its window or in another, and those opened since', () => {
    const modalsOf = (window: string, ...ids: readonly string[]): Change => {
      const views = ids.map((id) => ({ id, title: null, submit: null, close: null, blocks: [], state: {} }));
      return { type: 'event', event: { type: 'modals', views, lastActedIn: window } };
    };
    const modals = (...ids: readonly string[]) => modalsOf('', ...ids);
    const shown = (...changes: readonly Change[]) => after(...changes).modals.map(({ id }) => id);
    expect(shown(modals('V1'), modals('V1', 'V2'))).toEqual([]);
    expect(shown(modals('V1'), modals('V3'))).toEqual(['V3']);
    expect(shown(modals(), modals('V1'), modals('V1', 'V2'))).toEqual(['V1', 'V2']);
    expect(shown(modals(), modalsOf('another', 'V1'), modals('V1', 'V2'))).toEqual([]);
    expect(shown(modals(), modals('V1'), modalsOf('another', 'V1', 'V2'))).toEqual(['V1', 'V2']);
    expect(shown(modals(), modalsOf('another', 'V1'), modals(), modalsOf(windowId, 'V2'))).toEqual(['V2']);
  });

  it('shows only channels that the person can see', () => {
    const inSecret = after({ type: 'open channel', channel: 'C2' });
    expect(inSecret.channelId).toBe('C2');
    expect(reduce(inSecret, { type: 'act as', userId: 'U2' })).toMatchObject({ userId: 'U2', channelId: 'C1' });
  });

  it('opens a message by its address, and nothing if the person cannot see its channel', () => {
    const address = { channel: 'C2', ts: '1.0', threadTs: '0.5' };
    const model = after({ type: 'open message', message: address });
    expect(model).toMatchObject({ channelId: 'C2', threadTs: '0.5', targetTs: '1.0' });
    const asBen = after({ type: 'act as', userId: 'U2' }, { type: 'open message', message: address });
    expect(asBen).toMatchObject({ channelId: 'C1', threadTs: null, targetTs: null });
  });

  it('drops the messages of one person when acting as another', () => {
    const model = after(heard(sent('1.0', { isEphemeral: true })), { type: 'act as', userId: 'U2' });
    expect(texts(model)).toBeUndefined();
  });

  it('inserts a message in order, and replaces a changed one', () => {
    const model = after(heard(sent('2.0')), heard(sent('1.0')), heard(sent('2.0', { text: 'changed' })));
    expect(texts(model)).toEqual(['1.0', 'changed']);
    expect(texts(reduce(model, { type: 'event', event: { type: 'removed', channel: 'C1', ts: '1.0' } }))).toEqual([
      'changed',
    ]);
  });

  it('marks other channels unread until they are opened', () => {
    const model = after(heard(sent('1.0', { channel: 'C2' })), heard(sent('2.0')));
    expect([...model.unread]).toEqual(['C2']);
    expect(reduce(model, { type: 'open channel', channel: 'C2' }).unread.size).toBe(0);
  });

  it('ends a press with its answer', () => {
    const key = pressKey({ channel: 'C1', ts: '1.0', blockId: 'b', actionId: 'a' });
    const pressed = after({ type: 'pending', key, isPending: true });
    expect(pressed.pending.has(key)).toBe(true);
    expect(reduce(pressed, { type: 'pending', key, isPending: false }).pending.has(key)).toBe(false);
  });
});

describe('messages are laid out', () => {
  const reader = { now: Date.parse('2026-11-20T12:00:00Z'), timeZone: 'Europe/Berlin' };
  const at = (time: string, more: Partial<PageMessage> = {}) => sent(String(Date.parse(time) / 1000), more);

  it('by the reader’s days', () => {
    const rows = channelRows([at('2026-11-19T22:30:00Z'), at('2026-11-19T23:30:00Z')], reader);
    expect(rows.map(({ day }) => day)).toEqual(['Yesterday', 'Today']);
  });

  it('with replies in their thread and counted at its root', () => {
    const root = at('2026-11-20T10:00:00Z');
    const reply = at('2026-11-20T10:01:00Z', { threadTs: root.ts });
    const messages = [root, reply, at('2026-11-20T10:02:00Z')];
    expect(channelRows(messages, reader).map(({ replies }) => replies.length)).toEqual([1, 0]);
    const withOwn = [...messages, sent('9.0', { threadTs: messages[0]?.ts ?? '', isEphemeral: true })];
    expect(channelRows(withOwn, reader).map(({ replies }) => replies.length)).toEqual([1, 0]);
    expect(threadRows(messages, root.ts, reader).map(({ message }) => message)).toEqual([root, reply]);
  });
});
