/** The App Home. */
import { describe, expect, it } from 'vitest';
import { summarizeHealth, withNeverRan, withSilences } from '../../../../src/bot/insight/health/health-summary.ts';
import { blockText } from '../../../../src/bot/views/blocks/message.ts';
import { type HomeFacts, type HomeHealth, homeView } from '../../../../src/bot/views/home/home.ts';
import { validateView } from '../../../../src/shared/block-kit/validate.ts';
import { regularSilence } from '../../../support/silences.ts';

const now = Date.parse('2026-11-21T10:30:00Z');
const failedAt = now - 3_600_000;
const provenance = { source: 'live', asOf: now, missing: [] } as const;

/** So many workflows fail, so many do not, so many are paused; of those that do not, so many are silent. */
function health(
  failing: number,
  fine: number,
  paused = 0,
  { name = 'workflow', ranAt = failedAt, silent = 0, notLookedInto = 0 } = {},
): HomeHealth {
  const named = (kind: string, count: number, status: string) =>
    Array.from({ length: count }, (_, at) => ({
      uuid: `00000000-0000-4000-8000-${kind}${at}`,
      name: `${name} ${kind}${at}`,
      status,
    }));
  const bad = named('bad', failing, 'ACTIVE');
  const good = named('good', fine, 'ACTIVE');
  const workflows = [...bad, ...good, ...named('paused', paused, 'PAUSED')];
  const failures = bad.map((workflow) => ({
    finishedAt: null,
    workflowName: workflow.name,
    startedAt: new Date(failedAt).toISOString(),
  }));
  return {
    kind: 'known',
    summary: withSilences(
      summarizeHealth({ workflows, failures, executedAt: new Map(bad.map(({ uuid }) => [uuid, ranAt])), now }),
      new Map(
        good.slice(0, silent).map(({ uuid }) => [uuid, regularSilence(now - 6 * 3_600_000, 6 * 3_600_000, 900_000)]),
      ),
    ),
    notLookedInto,
    isCut: false,
    organizationName: 'Acme',
    provenance,
  };
}

function home(facts: Partial<HomeFacts>) {
  const view = homeView({
    health: health(1, 1),
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
  it.each([
    [0, 0, 'There are no workflows of Acme yet'],
    [0, 1, 'Nothing failed in the last 24 hours. 1 workflow of Acme.'],
    [1, 0, '1 of 1 workflow of Acme is failing.'],
    [2, 12, '2 of 14 workflows of Acme are failing.'],
  ])('of %i failing and %i other workflows is one sentence', (failing, fine, words) => {
    expect(home({ health: health(failing, fine) }).text).toContain(words);
  });

  it('separates workflows that fail now from those that have run again since', () => {
    const newest = home({ health: health(1, 0) }).text;
    const since = home({ health: health(1, 0, 0, { ranAt: now }) }).text;
    expect([newest, since].map((text) => /Failing now/.test(text))).toEqual([true, false]);
    expect(since).toMatch(/:warning: 1 of 1 workflow of Acme failed in the last 24 hours.*have run again since/s);
  });

  it.each([
    [0, 2, 1, ':warning: 1 of 2 workflows of Acme went silent. Nothing failed in the last 24 hours.'],
    [2, 2, 2, ':x: 2 of 4 workflows of Acme are failing; 2 went silent.'],
  ])('of %i failing and %i other workflows, %i of them silent, is one sentence', (failing, fine, silent, words) => {
    const { text, lines } = home({ health: health(failing, fine, 0, { silent }) });
    expect(text).toContain(words);
    expect(text).toMatch(
      /Silent: the next run is overdue.*workflow good0: no run for 6 h, where one came every 15 min; expected by /s,
    );
    expect(text).not.toMatch(/Without a failure.*good0/);
    expect(lines).toContain('status 00000000-0000-4000-8000-good0');
  });

  it('names active workflows that never ran, apart from those without a failure', () => {
    const known = health(0, 2);
    if (known.kind !== 'known') throw new Error('no health');
    const [first] = known.summary.fine;
    const since = now - 3 * 86_400_000;
    const overdue = new Map([[first?.uuid ?? '', { name: '', since, isActiveSince: true }]]);
    const { text, lines } = home({ health: { ...known, summary: withNeverRan(known.summary, overdue) } });
    expect(text).toContain(`Active, and never ran\n• ${first?.name}: active for 3 d, has never run`);
    expect(text).not.toMatch(new RegExp(`Without a failure: [^\\n]*${first?.name}\\b`));
    expect(lines).toContain(`status ${first?.uuid}`);
  });

  it('counts the silent workflows that it does not name, and those that were not checked', () => {
    const { text } = home({ health: health(0, 12, 0, { silent: 10, notLookedInto: 3 }) });
    expect(text).toMatch(/and 2 more workflows that went silent.*3 more workflows may be silent/s);
  });

  it('names about twenty workflows and counts the rest', () => {
    const { text } = home({ health: health(100, 200, 50) });
    expect(text).toMatch(/100 of 350 workflows.*and 88 more workflows.*and 192 more.*and 42 more/s);
    expect(text.match(/workflow (bad|good|paused)\d/g)).toHaveLength(28);
  });

  it('says “at least” if not every failure was counted, and names the missing parts', () => {
    const cut = { ...health(1, 0), isCut: true, organizationName: null, provenance: { ...provenance, missing: ['x'] } };
    expect(home({ health: cut as HomeHealth }).text).toMatch(/at least 1 failure.*could not give: x/s);
  });

  it('links to the status of failing workflows, and to all failures', () => {
    const { lines } = home({ health: health(1, 0) });
    expect(lines).toEqual(expect.arrayContaining(['status 00000000-0000-4000-8000-bad0', 'failures', 'list', 'help']));
  });

  it('of hostile or long names fits Slack and is inert', () => {
    const { text } = home({ health: health(20, 20, 20, { name: `<!channel> *x* ${'y'.repeat(300)}` }) });
    expect(text).not.toContain('<!channel>');
  });
});

describe('the Home tab without data', () => {
  const problem = { kind: 'problem', sentence: 'This workspace has no key yet.', hint: null, lacksKey: true } as const;

  it('names the people to ask for a member, and has no button that would fail', () => {
    const { text, lines } = home({ health: problem, adminIds: ['UEVE'] });
    expect(text).toContain('This workspace has no key yet.');
    expect(text).toContain('Ask <@UEVE> or an admin of this workspace.');
    expect(lines).toEqual(['help']);
  });

  it('has the button to connect for an admin', () => {
    const { text, lines } = home({ health: problem, admin: { key: null } });
    expect(text).not.toContain('Ask ');
    expect(text).toContain('No API key is stored for this workspace.');
    expect(text).toMatch(/has no key yet.*press Connect and enter an API key/s);
    expect(lines).toEqual(['connect', 'help', 'settings', 'audit']);
  });

  it('names the channels for commands for a member who may use them there', () => {
    const { text, lines } = home({ health: { kind: 'elsewhere', channelIds: ['C1', 'C2'] } });
    expect(text).toContain('It answers you in <#C1>, <#C2>.');
    expect(lines).toEqual([]);
  });
});

describe('the Home tab of an admin', () => {
  const key = {
    hint: 'wfq_…abcd',
    connectedBy: 'UADA',
    connectedAt: now,
    checkedAt: now,
    refusedSince: null,
    isListed: true,
  };

  it.each([
    [key, /…abcd.*<@UADA>.*it works, last tried/],
    [{ ...key, checkedAt: null }, /…abcd.*<@UADA>/],
    [{ ...key, hint: '' }, /API key, given by <@UADA>/],
    [{ ...key, refusedSince: now }, /the query service refuses it since/],
    [
      { ...key, isListed: false },
      /it is not used any more, as the operator of this bot does not list its query service/,
    ],
    [null, /The API key is that of the operator of this bot/],
  ])('has the state of the key: %j', (stored, words) => {
    expect(home({ admin: { key: stored } }).text).toMatch(words);
  });

  it('has buttons that a member’s has not', () => {
    const wanted = ['connect', 'settings', 'audit'];
    expect(home({ admin: { key } }).lines).toEqual(expect.arrayContaining(wanted));
    expect(home({}).lines.filter((line) => wanted.includes(line ?? ''))).toEqual([]);
  });
});
