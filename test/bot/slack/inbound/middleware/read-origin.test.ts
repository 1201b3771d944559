/** The workspace of a payload comes from its context, with payloads as Slack documents them; each row names its source. */
import { describe, expect, it } from 'vitest';
import { readInstallationId, readOrigin } from '../../../../../src/bot/slack/inbound/middleware/read-origin.ts';

/** The person's home workspace, which never counts. */
const home = { id: 'W013QGS7BPF', team_id: 'T0HOME' };
const organization = { enterprise: { id: 'E013Y3SHLAY', name: 'Acme' }, is_enterprise_install: true };
const authorized = (fields: object) => ({ authorizations: [{ user_id: 'U0BOT', is_bot: true, ...fields }] });
const inWorkspace = authorized({ enterprise_id: null, team_id: 'T03E94MJU', is_enterprise_install: false });
const mention = { type: 'app_mention', user: 'W013QGS7BPF', user_team: 'E0OTHER', channel: 'C04T3ACM40K' };

const boltPython = 'bolt-python tests/slack_bolt/request/test_internals.py';
const developing = 'docs.slack.dev/enterprise/developing-for-enterprise-orgs';

describe('a payload of one workspace', () => {
  it.each<[string, object, readonly string[]]>([
    ['docs.slack.dev/interactivity/implementing-slash-commands', { command: '/workflow', team_id: 'T0001' }, ['T0001']],
    [
      'bolt-js#1875: a press names the home workspace of the person',
      { type: 'block_actions', team: { id: 'T0001' }, user: home },
      ['T0001'],
    ],
    [
      'bolt-js#1614: a form sent from the other company of a shared channel names ours in the view',
      {
        type: 'view_submission',
        team: { id: 'T0OTHER' },
        user: home,
        view: { team_id: 'T0OTHER', app_installed_team_id: 'T0001' },
      },
      ['T0OTHER', 'T0OTHER', 'T0001'],
    ],
    [
      'bolt-python#1229: the view of a Home may name another workspace of the organization',
      { type: 'block_actions', team: { id: 'T0001' }, user: home, view: { app_installed_team_id: 'T0FIRST' } },
      ['T0001', 'T0FIRST'],
    ],
    [
      `${boltPython}: a message in a shared channel, hosted by the other company`,
      {
        team_id: 'T03E94MJU',
        context_team_id: 'T014GJXU940',
        context_enterprise_id: 'E013Y3SHLAY',
        event: mention,
        is_ext_shared_channel: true,
        ...inWorkspace,
      },
      ['T03E94MJU', 'T014GJXU940', 'T03E94MJU'],
    ],
    [
      `${boltPython}: a mention by a person of the other company`,
      {
        team_id: 'T014GJXU940',
        enterprise_id: 'E013Y3SHLAY',
        event: { ...mention, team: 'T014GJXU940', user_team: 'T0HOME' },
        is_ext_shared_channel: true,
        ...inWorkspace,
      },
      ['T03E94MJU', 'T014GJXU940'],
    ],
  ])('%s', (_source, body, teamIds) => {
    expect(readOrigin({ ...body })).toMatchObject({ teamIds, enterpriseId: undefined });
  });
});

describe('a payload of an organization’s installation', () => {
  it.each<[string, object, readonly string[]]>([
    [
      `${developing}: a command`,
      { command: '/workflow', team_id: 'T0001', enterprise_id: 'E013Y3SHLAY', is_enterprise_install: 'true' },
      ['T0001'],
    ],
    [
      'bolt-python pull request 23: a shortcut without a team',
      { type: 'shortcut', team: null, user: home, ...organization },
      [],
    ],
    [
      'bolt-python slack_bolt/request/internals.py: a press in a view without a team',
      { type: 'block_actions', team: null, user: home, view: { team_id: 'T0001' }, ...organization },
      ['T0001'],
    ],
    [
      'a form whose installation is the organization',
      {
        type: 'view_submission',
        team: null,
        user: home,
        view: { team_id: 'T0001', app_installed_team_id: 'E013Y3SHLAY' },
        ...organization,
      },
      ['T0001'],
    ],
    [
      `${developing}: an event`,
      {
        team_id: 'TXXXXXXXX',
        event: mention,
        ...authorized({ enterprise_id: 'E013Y3SHLAY', team_id: 'T423567', is_enterprise_install: true }),
      },
      ['T423567', 'TXXXXXXXX'],
    ],
    [
      'an event whose authorization names no workspace',
      {
        team_id: 'T0001',
        enterprise_id: 'E013Y3SHLAY',
        context_team_id: 'T0001',
        context_enterprise_id: 'E013Y3SHLAY',
        event: mention,
        ...authorized({ enterprise_id: 'E013Y3SHLAY', team_id: null, is_enterprise_install: true }),
      },
      ['T0001', 'T0001'],
    ],
    [
      'an event in a channel that another company hosts',
      {
        team_id: 'T0OTHER',
        enterprise_id: 'E0OTHER',
        context_team_id: 'T0OTHER',
        context_enterprise_id: 'E0OTHER',
        event: mention,
        is_ext_shared_channel: true,
        ...authorized({ enterprise_id: 'E013Y3SHLAY', team_id: 'T0001', is_enterprise_install: true }),
      },
      ['T0001'],
    ],
  ])('%s', (_source, body, teamIds) => {
    expect(readOrigin({ ...body })).toMatchObject({ teamIds, enterpriseId: 'E013Y3SHLAY' });
  });

  // https://docs.slack.dev/reference/interaction-payloads/block_actions-payload: the pressed message has a `team`.
  it.each([
    ['this app’s', 'A0OWN', ['T0001']],
    ['another app’s', 'A0OTHER', []],
    ['a person’s', undefined, []],
  ])('takes the workspace of a message only if it is %s', (_whose, app_id, teamIds) => {
    const message = { type: 'message', team: 'T0001', app_id };
    const press = { type: 'block_actions', team: null, api_app_id: 'A0OWN', user: home, message, ...organization };
    expect(readOrigin(press).teamIds).toEqual(teamIds);
  });

  it('names its channel, which tells the workspace if nothing else does', () => {
    const container = { type: 'message', channel_id: 'C0OPS' };
    const press = { type: 'block_actions', team: null, user: home, container, ...organization };
    expect(readOrigin(press)).toEqual({ teamIds: [], enterpriseId: 'E013Y3SHLAY', channelId: 'C0OPS' });
  });
});

it.each<[string, object, string | undefined]>([
  ['docs.slack.dev/reference/events/app_uninstalled', { team_id: 'TXXXXXXXX' }, 'TXXXXXXXX'],
  [
    `${developing}: of an organization`,
    { team_id: 'T0001', ...authorized({ enterprise_id: 'E1', team_id: 'T0001', is_enterprise_install: true }) },
    'E1',
  ],
  ['of an organization in the place of a workspace', { team_id: 'E1' }, 'E1'],
  ['of an organization without a workspace', { team_id: null, enterprise_id: 'E1' }, 'E1'],
  ['without any id', { team_id: null }, undefined],
])('an uninstallation event %s names its installation', (_source, body, id) => {
  expect(readInstallationId({ ...body, event: { type: 'app_uninstalled' } })).toBe(id);
});

it.each([null, 7, [], {}, { id: 7 }, { id: {} }])('a team that is %j names no workspace', (team) => {
  expect(readOrigin({ type: 'block_actions', team, user: home }).teamIds).toEqual([]);
});
