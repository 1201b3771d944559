/** Payloads of Slack, with only the fields that the bot reads. */
import { type FakeSlack, fakeTeamId } from './fake-slack.ts';

let triggers = 0;

function newTrigger(): string {
  triggers += 1;
  return `${triggers}.0.trigger`;
}

export type CommandFields = Readonly<Record<string, unknown>>;

/** A slash command over the socket. */
export function commandPayload(slack: FakeSlack, text: string, fields: CommandFields = {}) {
  const trigger_id = newTrigger();
  return {
    command: '/workflow',
    text,
    team_id: fakeTeamId,
    user_id: 'U0ANNA',
    channel_id: 'C0OPS',
    trigger_id,
    response_url: `${slack.origin}/response/${trigger_id}`,
    ...fields,
  };
}

type Pressed = {
  readonly mode: string;
  readonly line: string;
  readonly userId?: string;
  readonly isEphemeral?: boolean;
  readonly blocks?: readonly unknown[];
  /** Sent as a menu's choice. */
  readonly isSelect?: boolean;
};

/** A press of a button with a command line. */
export function pressPayload(slack: FakeSlack, pressed: Pressed, fields: CommandFields = {}) {
  const { mode, line, userId = 'U0ANNA', isEphemeral = true, blocks = [], isSelect = false } = pressed;
  const trigger_id = newTrigger();
  const action_id = `cmd:${mode}:${line}`;
  return {
    type: 'block_actions',
    team: { id: fakeTeamId, domain: 'fake' },
    user: { id: userId, username: 'anna', team_id: fakeTeamId },
    channel: { id: 'C0OPS', name: 'ops' },
    container: { type: 'message', message_ts: '17.01', channel_id: 'C0OPS', is_ephemeral: isEphemeral },
    ...(!isEphemeral && { message: { type: 'message', ts: '17.01', blocks } }),
    trigger_id,
    response_url: `${slack.origin}/response/${trigger_id}`,
    actions: [
      isSelect
        ? { type: 'static_select', block_id: 'b', action_id, action_ts: '1', selected_option: { value: line } }
        : { type: 'button', block_id: 'b', action_id, action_ts: '1', value: line },
    ],
    ...fields,
  };
}

/** A submitted modal. @param fields override Slack's; the view has only the given ones */
export function submissionPayload(fields: CommandFields) {
  return {
    type: 'view_submission',
    team: { id: fakeTeamId, domain: 'fake' },
    user: { id: 'U0ANNA', username: 'anna', team_id: fakeTeamId },
    trigger_id: newTrigger(),
    ...fields,
  };
}
