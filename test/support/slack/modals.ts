/** An app that shows modals in a local Slack, on the real SDK, and records the payloads it gets. */
import type { ModalView } from '@slack/types';
import type { LocalSlackOptions } from '../../../src/local-slack/server/server.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from './driver.ts';
import { connectApp, localSlack, type SocketEvent, type SocketListener, webClient } from './local-slack.ts';

export const plain = (text: string) => ({ type: 'plain_text' as const, text });
export const option = (value: string) => ({ text: plain(`The ${value}`), value });

/** One text input named `endpoint`/`url`. */
export const askingView: ModalView = {
  type: 'modal',
  callback_id: 'connect',
  private_metadata: 'kept',
  title: plain('Connect'),
  submit: plain('Save'),
  blocks: [
    {
      type: 'input',
      block_id: 'endpoint',
      label: plain('Endpoint'),
      element: { type: 'plain_text_input', action_id: 'url' },
    },
  ],
};

/** @param more any fields; the local Slack checks them */
export function viewTitled(title: string, more: object = {}): ModalView {
  return { ...askingView, title: plain(title), ...more };
}

const user = personId('ada');

/** Listeners that record all payloads. @param answer to a submission or a request for options, or makes the next one */
export function modalListeners(answer: unknown = undefined) {
  const heard: SocketEvent['body'][] = [];
  const triggers: string[] = [];
  const isAnswered = (type: unknown) => type === 'view_submission' || type === 'block_suggestion';
  const on: Readonly<Record<string, SocketListener>> = {
    slash_commands: ({ ack, body }) => {
      triggers.push(String(body['trigger_id']));
      return ack();
    },
    interactive: ({ ack, body }) => {
      heard.push(body);
      return ack(isAnswered(body['type']) ? (typeof answer === 'function' ? answer() : answer) : undefined);
    },
  };
  /** Ada types a command in #general. */
  const trigger = async (slack: SlackDriver) => {
    await slack.command({ user, channel: channelId('general'), text: '/workflow connect' });
    return triggers.at(-1) ?? '';
  };
  return { on, heard, trigger };
}

/**
 * @param answer the app's acknowledgement of a submission or a request for options, or makes the next one
 * @returns as Ada in #general: a new trigger, a view opened with one, and the payloads after that
 */
export async function modalApp(answer: unknown = undefined, options: Partial<LocalSlackOptions> = {}) {
  const slack = await localSlack(options);
  const { on, heard, trigger } = modalListeners(answer);
  await connectApp(slack, on);
  const client = webClient(slack);
  const open = async (view: ModalView = askingView) => {
    const { view: opened } = await client.views.open({ trigger_id: await trigger(slack), view });
    return { user, view: opened?.id ?? '', hash: opened?.hash ?? '' };
  };
  /** The titles of the person's open modals. */
  const titles = () => slack.modals(user).map(({ title }) => title?.text);
  return { slack, client, user, heard, trigger: () => trigger(slack), open, titles };
}
