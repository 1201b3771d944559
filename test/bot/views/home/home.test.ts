/** The App Home. */
import { describe, expect, it } from 'vitest';
import { type Verdict, verdicts } from '../../../../src/bot/insight/health/health.ts';
import { blockText } from '../../../../src/bot/views/blocks/message.ts';
import { type HomeFacts, type HomeHealth, homeView } from '../../../../src/bot/views/home/home.ts';
import type { HomeHealthSummary } from '../../../../src/bot/views/home/home-health.ts';
import { validateView } from '../../../../src/shared/block-kit/validate.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { aHealth, aJudged } from '../../../support/insight/health.ts';

const now = Date.parse('2026-11-21T10:30:00Z');
const provenance = { source: 'live', asOf: now, missing: [] } as const;

/** So many workflows of each verdict. */
function health(
  numbers: Partial<Record<Verdict, number>>,
  overrides: Partial<HomeHealthSummary> & { readonly name?: string } = {},
): HomeHealth {
  const { name = 'workflow', ...rest } = overrides;
  const judged = verdicts.flatMap((verdict) =>
    Array.from({ length: numbers[verdict] ?? 0 }, (_, index) => {
      const uuid = `00000000-0000-4000-8000-${verdict}${index}`;
      const status = verdict === 'inactive' ? 'PAUSED' : 'ACTIVE';
      return aJudged(verdict, { uuid, name: `${name} ${verdict}${index}`, status }, now);
    }),
  );
  return { kind: 'known', judged, notLookedInto: 0, organizationName: 'Acme', provenance, ...rest };
}

function home(facts: Partial<HomeFacts>) {
  const view = homeView({
    health: health({ failing: 1, healthy: 1 }),
    admin: null,
    digests: null,
    adminIds: [],
    slashCommand: '/workflow',
    now,
    ...facts,
  });
  expect(validateView(view, 'home')).toEqual([]);
  const lines = [...JSON.stringify(view).matchAll(/"value":"([^"]*)"/g)].map(([, line]) => line);
  return { text: view.blocks.map((block) => blockText(block)).join('\n'), lines };
}

describe('the health', () => {
  it.each<[Partial<Record<Verdict, number>>, string]>([
    [{}, 'There are no workflows of Acme yet'],
    [{ healthy: 1 }, ':white_check_mark: No active workflow failed in the last 24 h. 1 workflow of Acme.'],
    [{ failing: 1 }, ':red_circle: 1 of 1 workflow of Acme is failing.'],
    [{ failing: 2, healthy: 12 }, ':red_circle: 2 of 14 workflows of Acme are failing.'],
    [{ silent: 1, healthy: 1 }, ':warning: 1 of 2 workflows of Acme is silent.'],
    [{ failing: 2, silent: 2 }, ':red_circle: 2 of 4 workflows of Acme are failing; 2 are silent.'],
    [{ unstable: 1, never_ran: 2 }, ':grey_question: 2 of 3 workflows of Acme never ran; 1 is unstable'],
    [{ unknown: 3, healthy: 1 }, ':grey_question: 3 of 4 workflows of Acme cannot be judged.'],
  ])('of %j is one sentence', (numbers, words) => {
    expect(home({ health: health(numbers) }).text).toContain(words);
  });

  it('counts deleted workflows apart', () => {
    const gone = aJudged('inactive', { uuid: 'gone', name: 'gone', status: 'DELETED' }, now);
    const known = health({ failing: 1, inactive: 1 });
    if (known.kind !== 'known') throw new Error('it is known');
    const { text } = home({ health: { ...known, judged: [...known.judged, gone] } });
    expect(text).toContain(
      ':red_circle: 1 of 2 workflows of Acme is failing; 1 is not active. 1 other workflow was deleted.',
    );
    expect(text).toContain('gone (deleted)');
    expect(home({ health: { ...known, judged: [gone] } }).text).toContain('There are no workflows of Acme any more.');
  });

  it('does not call an unreadable list empty', () => {
    const unread = { ...health({}), provenance: { source: 'live', asOf: now, missing: ['2 of the workflows'] } };
    const { text } = home({ health: unread as HomeHealth });
    expect(text).toContain('The workflows of Acme could not be read.');
    expect(text).not.toContain('no workflows');
  });

  it('comes after the reason why it was not refreshed', () => {
    const { text } = home({ notRefreshed: 'At most 10 requests in 10 s.' });
    expect(text).toMatch(/^:warning: At most 10 requests in 10 s\.\n:red_circle: 1 of 2 workflows/);
  });

  it('has the evidence of each verdict, the most urgent first', () => {
    const { text } = home({ health: health({ failing: 1, silent: 1, never_ran: 1, unstable: 1, with_errors: 1 }) });
    const evidence = [
      /Failing\n• workflow failing0: all 12 runs since .* failed\. 12 of 288 runs in the last 24 h failed\.\nWhat to try: /,
      /workflow silent0: no run for 6 h, usually one every 15 min; expected by .* \(schedule learned from 60 runs, tolerance 5 min; /,
      /Never ran; schedule not known\n• workflow never_ran0: activated 3 d ago/,
      /workflow unstable0: 2 of 288 runs in the last 24 h failed/,
      /workflow with_errors0: 2 of the newest 5 runs completed with errors/,
    ];
    expect(evidence.map((words) => text.search(words))).not.toContain(-1);
    expect(text).toMatch(new RegExp(evidence.map(({ source }) => source).join('.*'), 's'));
  });

  it('has the share of a workflow whose only run failed, which is no streak', () => {
    const failed = aJudged('failing', { uuid: 'daily', name: 'daily', status: 'ACTIVE' }, now);
    const judged = { ...failed, health: aHealth({ state: 'failing', isFailingNow: false }) };
    const counts = { total: 1, success: 0, failure: 1 };
    const { text } = home({ health: { ...health({}), judged: [{ ...judged, counts }] } as HomeHealth });
    expect(text).toContain(
      '• daily: 1 of 1 run in the last 24 h failed.\nWhat to try: investigate the newest failure.',
    );
    expect(text).not.toContain('Failing now');
  });

  it('names workflows that never ran, are idle or could not be judged apart from those without a failure', () => {
    const { text, lines } = home({ health: health({ healthy: 1, never_ran: 1, quiet: 1, unknown: 1, inactive: 1 }) });
    expect(text).toMatch(/Healthy, no failed run in the last 24 h: workflow healthy0$/m);
    expect(text).toMatch(/Idle, no run in the last 24 h: workflow quiet0$/m);
    expect(text).toMatch(/Cannot be judged: workflow unknown0$/m);
    expect(text).toMatch(/Not active or deleted: workflow inactive0 \(paused\)$/m);
    expect(lines).toContain('status 00000000-0000-4000-8000-never_ran0');
  });

  it('names a dozen workflows of each verdict and counts the rest', () => {
    const { text } = home({ health: health({ failing: 100, healthy: 200, inactive: 50 }) });
    expect(text).toMatch(/100 of 350 workflows.*and 88 more workflows.*and 188 more.*and 38 more/s);
    expect(text.match(/workflow (failing|healthy|inactive)\d/g)).toHaveLength(36);
  });

  it('counts the workflows that it did not look into, and denies nothing of them', () => {
    const { text } = home({ health: health({ healthy: 150 }, { notLookedInto: 30 }) });
    expect(text).toContain(
      'No active workflow failed in the last 24 h, of the 150 workflows of Acme that were checked.',
    );
    expect(text).toContain('Not checked: 30 more workflows.');
  });

  it('does not say that nothing failed if a workflow failed and recovered', () => {
    const { text } = home({ health: health({ healthy: 2, recovered: 1 }) });
    expect(text).toContain('No active workflow is failing now; 1 failed in the last 24 h and recovered.');
  });

  it('names the missing parts', () => {
    const { text } = home({ health: health({ failing: 1 }, { provenance: { ...provenance, missing: ['x'] } }) });
    expect(text).toContain('Not known: x');
  });

  it('links to the status of workflows that need attention, to all failures, and reads them again', () => {
    const { lines } = home({ health: health({ failing: 1 }) });
    const wanted = [
      'execution 00000000-0000-4000-8000-failing0',
      'status 00000000-0000-4000-8000-failing0',
      'failures',
      'home',
      'list',
      'help',
    ];
    expect(lines).toEqual(expect.arrayContaining(wanted));
  });

  it('of hostile or long names fits Slack and is inert', () => {
    const numbers = Object.fromEntries(verdicts.map((verdict) => [verdict, 20]));
    const { text } = home({ health: health(numbers, { name: `<!channel> *x* ${'y'.repeat(300)}` }) });
    expect(text).not.toContain('<!channel>');
  });
});

describe('the Home tab without data', () => {
  const error = new AppError('unauthorized', 'This workspace has no key yet.');
  const problem = { kind: 'problem', error } as const;

  it('names the people to ask for a member, and has no button that would fail', () => {
    const { text, lines } = home({ health: problem, adminIds: ['UEVE'] });
    expect(text).toContain('This workspace has no key yet.');
    expect(text).toContain('Ask a workspace admin or bot admin (<@UEVE>).');
    expect(lines).toEqual(['help']);
  });

  it('has the button to connect for an admin', () => {
    const { text, lines } = home({ health: problem, admin: { key: null } });
    expect(text).not.toContain('Ask ');
    expect(text).toContain('No API key is stored for this workspace.');
    expect(text).toMatch(/has no key yet.*press Connect and enter an API key/s);
    expect(lines).toEqual(['connect', 'help', 'settings', 'audit']);
  });

  it('says to a person who may not read here what is allowed where, and whom to ask', () => {
    const details = { hint: 'Ask an admin to allow it.', isForAdmins: true, channelIds: ['C1', 'C2'] };
    const error = new AppError('forbidden', 'Only in some channels.', details);
    const { text, lines } = home({ health: { kind: 'refused', error }, adminIds: ['UADA'] });
    expect(text).toMatch(
      /Only in some channels.*Ask an admin.*Bot admins: <@UADA>.*Type the command in <#C1>, <#C2>\./s,
    );
    expect(lines).toEqual([]);
  });
});

describe('the Home tab of an admin', () => {
  const key = {
    endpoint: 'https://api.example.com/graphql',
    keyHint: 'wfq_…abcd',
    organizationName: 'Harbor Markets',
    connectedBy: 'UADA',
    connectedAt: now,
    checkedAt: now,
    refusedSince: null,
    isListed: true,
  };

  it.each([
    [key, /…abcd.*<@UADA>.*it worked when it was last checked/],
    [{ ...key, checkedAt: null }, /…abcd.*<@UADA>/],
    [{ ...key, keyHint: '' }, /API key, entered by <@UADA>/],
    [{ ...key, refusedSince: now }, /the query service has refused it since/],
    [{ ...key, isListed: false }, /it is no longer used, because its query service is not on the bot’s list/],
    [null, /uses the bot’s default API key/],
  ])('has the state of the key: %j', (stored, words) => {
    expect(home({ admin: { key: stored } }).text).toMatch(words);
  });

  it('has buttons that a member’s has not', () => {
    const wanted = ['connect', 'settings', 'audit'];
    expect(home({ admin: { key } }).lines).toEqual(expect.arrayContaining(wanted));
    expect(home({}).lines.filter((line) => wanted.includes(line ?? ''))).toEqual([]);
  });
});
