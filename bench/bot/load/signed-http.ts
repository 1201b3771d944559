/** Slash commands as Slack delivers them over HTTP: signed forms on connections that stay open. */
import { createHmac } from 'node:crypto';
import { type Dispatcher, Pool } from 'undici';
import { commandFields } from './command.ts';
import type { OnAnswered, Sender } from './sender.ts';

type Target = { readonly origin: string; readonly signingSecret: string };

const connections = 100;

export function createSignedHttp({ origin, signingSecret }: Target): Sender {
  const pool = new Pool(origin, { connections });
  const prepared: Dispatcher.DispatchOptions[] = [];
  let made = 0;
  return {
    prepare: (lines, commands) => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      for (let index = 0; index < commands; index += 1) {
        made += 1;
        const body = new URLSearchParams(commandFields(made, lines[index % lines.length] ?? '')).toString();
        const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': `v0=${digest}`,
        };
        prepared.push({ path: '/slack/events', method: 'POST', headers, body: Buffer.from(body) });
      }
      prepared.reverse();
    },
    send: (onAnswered) => {
      const command = prepared.pop();
      if (command) pool.dispatch(command, createReader(onAnswered));
    },
  };
}

/** Counts an answer's bytes, without a stream for each. A command that fails ends the process. */
function createReader(onAnswered: OnAnswered): Dispatcher.DispatchHandler {
  let length = 0;
  return {
    onRequestStart() {},
    onResponseStart(_, status) {
      if (status !== 200) throw new Error(`A command was answered with ${status}.`);
    },
    onResponseData(_, chunk) {
      length += chunk.length;
    },
    onResponseEnd() {
      onAnswered(length > 0);
    },
    onResponseError(_, error) {
      setImmediate(() => {
        throw error;
      });
    },
  };
}
