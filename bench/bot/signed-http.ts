/** Slash commands as Slack delivers them over HTTP: signed forms on connections that stay open. */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import type { TypeOnce } from './people.ts';

type Target = { readonly origin: string; readonly signingSecret: string; readonly teamId: string };

const connectionsMax = 100;

export function typingOverHttp({ origin, signingSecret, teamId }: Target) {
  const pool = new Pool(origin, { connections: connectionsMax });
  const [head = '', middle = '', tail = ''] = commandForm(teamId).split('NUMBER');
  let typed = 0;
  const type: TypeOnce = async (line) => {
    typed += 1;
    const body = `${head}${typed}${middle}${typed}${tail}${encodeURIComponent(line)}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    };
    const response = await pool.request({ method: 'POST', path: '/slack/events', headers, body });
    const answer = await response.body.arrayBuffer();
    if (response.statusCode !== 200) throw new Error(`“${line}” was answered with ${response.statusCode}.`);
    return answer.byteLength > 0;
  };
  return { type, close: () => pool.close() };
}

/** The fields of a real form, encoded once, so that sending costs less than answering. */
function commandForm(team_id: string): string {
  return new URLSearchParams({
    token: 'xyzz0WbapA4vBCDEFasx0q6G',
    team_id,
    team_domain: 'workspace',
    channel_id: channelId('ops-alerts'),
    channel_name: 'ops-alerts',
    user_id: personId('ada'),
    user_name: 'ada',
    command: '/workflow',
    api_app_id: 'A01WORKFLOW',
    is_enterprise_install: 'false',
    response_url: 'http://127.0.0.1:1/commands/NUMBER',
    trigger_id: `${Date.now()}.NUMBER.8f742231b10e8888abcd99yyyzzz85a5`,
    text: '',
  }).toString();
}
