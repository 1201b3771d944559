/** A slash command as Slack sends it, with its own trigger and response URL. */

export const appId = 'A01WORKFLOW';
export const workspace = { teamId: 'T01BENCH', name: 'Bench' } as const;

export function commandFields(number: number, text: string) {
  return {
    token: 'xyzz0WbapA4vBCDEFasx0q6G',
    team_id: workspace.teamId,
    team_domain: 'bench',
    channel_id: 'C01OPSALERTS',
    channel_name: 'ops-alerts',
    user_id: 'U01ADA',
    user_name: 'ada',
    command: '/workflow',
    api_app_id: appId,
    is_enterprise_install: 'false',
    response_url: `http://127.0.0.1:1/commands/${number}`,
    trigger_id: `${Date.now()}.${number}.8f742231b10e8888abcd99yyyzzz85a5`,
    text,
  };
}
