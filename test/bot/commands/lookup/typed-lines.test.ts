/** Lines as people type them, and the plain line that each means. It is Saturday, 2026-11-21, 11:30 in Berlin. */
import { describe, expect, it } from 'vitest';
import { useTestCommands } from '../../../support/bot/commands.ts';

const test = useTestCommands();
const type = async (line: string) => (await test().type(line)).text;
/** Typed twice, because the first answer is new and the others are from memory. */
const expectSame = async (line: string, meant: string) => {
  await type(meant);
  expect(await type(line)).toBe(await type(meant));
};

describe('a window in words', () => {
  it.each([
    ['status payments last 7 days', 'status payments 7d'],
    ['status payments 7 d', 'status payments 7d'],
    ['status payments in the last 24 hours', 'status payments 24h'],
    ['status payments past 2 hours', 'status payments 2h'],
    ['status payments for the past hour', 'status payments 1h'],
    ['status payments last half hour', 'status payments 30m'],
    ['status payments over the past two weeks', 'status payments 2w'],
    ['status payments 24hrs', 'status payments 24h'],
    ['status payments -5h', 'status payments 5h'],
    ['status payments now-5h', 'status payments 5h'],
    ['status payments 1h30m', 'status payments 90m'],
    ['status payments 1.5 hours', 'status payments 90m'],
    ['status payments 1d12h', 'status payments 36h'],
    ['status payments 2 hours 30 minutes', 'status payments 150m'],
    ['status payments 2 hours and 30 minutes', 'status payments 150m'],
    ['status payments the last hour and a half', 'status payments 90m'],
    ['status payments an hour and a half', 'status payments 90m'],
    ['status payments in the last two and a half hours', 'status payments 150m'],
    ['status payments one and a half days', 'status payments 36h'],
    ['status payments half a day', 'status payments 12h'],
    ['status payments past quarter of an hour', 'status payments 15m'],
    ['status payments last fortnight', 'status payments 2w'],
    ['status payments since the 18th', 'status payments since 2026-11-18'],
    ['status payments on the 30th', 'status payments 2026-10-30'],
    ['status payments from the 18th to the 20th', 'status payments 2026-11-18..2026-11-20'],
    ['status payments from 7 to 9 utc', 'status payments 2026-11-21 07:00..09:00 utc'],
    ['status payments since 9 cet', 'status payments since 2026-11-21 09:00'],
    ['status payments since 9 nov', 'status payments since 2026-11-09'],
    ['status payments :fire: 24h', 'status payments 24h'],
    ['status payments 2 months', 'status payments 60d'],
    ['status payments last7d', 'status payments 7d'],
    ['status payments the last week', 'status payments 1w'],
    ['status payments Yesterday.', 'status payments yesterday'],
    ['status payments 2026-11-20.', 'status payments 2026-11-20'],
    ['status payments 2026-11-18..2026-11-20.', 'status payments 2026-11-18..2026-11-20'],
    ['status payments 2026-11-20, please', 'status payments 2026-11-20'],
    ['status payments since 23:00.', 'status payments since 2026-11-20 23:00'],
    ['status payments 20.11.2026.', 'status payments 2026-11-20'],
    ['status payments 20/11/2026.', 'status payments 2026-11-20'],
    ['status payments 10:00..11:00.', 'status payments 2026-11-21 10:00..11:00'],
    ['status payments last 24 hours!', 'status payments 24h'],
    ['status payments since yesterday', 'status payments since 2026-11-20'],
    ['status payments yesterday until now', 'status payments since 2026-11-20'],
    ['status payments since monday', 'status payments since 2026-11-16'],
    ['status payments since 23:00', 'status payments since 2026-11-20 23:00'],
    ['status payments since 9am', 'status payments since 2026-11-21 09:00'],
    ['status payments from 09:00', 'status payments since 2026-11-21 09:00'],
    ['status payments since 2 hours', 'status payments 2h'],
    ['status payments monday', 'status payments 2026-11-16'],
    ['status payments on Mon', 'status payments 2026-11-16'],
    ['status payments last saturday', 'status payments 2026-11-14'],
    ['status payments 3 days ago', 'status payments 2026-11-18'],
    ['status payments two days ago', 'status payments 2026-11-19'],
    ['status payments since two days ago', 'status payments since 2026-11-19'],
    ['status payments a week ago', 'status payments 2026-11-14'],
    ['status payments a month ago', 'status payments 2026-10-21'],
    ['status payments the day before yesterday', 'status payments 2026-11-19'],
    ['status payments 20.11.2026', 'status payments 2026-11-20'],
    ['status payments 20.11.', 'status payments 2026-11-20'],
    ['status payments 20/11/2026', 'status payments 2026-11-20'],
    ['status payments 11/20/2026', 'status payments 2026-11-20'],
    ['status payments 2026/11/20', 'status payments 2026-11-20'],
    ['status payments Nov 20', 'status payments 2026-11-20'],
    ['status payments 20th of November 2026', 'status payments 2026-11-20'],
    ['status payments Fri, Nov 20', 'status payments 2026-11-20'],
    ['status payments 23:00..23:59', 'status payments 2026-11-20 23:00..23:59'],
    ['status payments 23:00-23:59', 'status payments 2026-11-20 23:00..23:59'],
    ['status payments between 22:00 and 02:00', 'status payments 2026-11-20 22:00..2026-11-21 02:00'],
    ['status payments yesterday from 10pm to 11pm', 'status payments 2026-11-20 22:00..23:00'],
    ['status payments 22:00 to 23:00 yesterday', 'status payments 2026-11-20 22:00..23:00'],
    ['status payments 2026-11-20 23:00 to 24:00', 'status payments 2026-11-20 23:00..2026-11-21 00:00'],
    ['status payments 8-9pm', 'status payments 2026-11-20 20:00..21:00'],
    ['status payments 8pm-9pm', 'status payments 2026-11-20 20:00..21:00'],
    ['status payments 8 - 9 p.m.', 'status payments 2026-11-20 20:00..21:00'],
    ['status payments from 8 to 9pm', 'status payments 2026-11-20 20:00..21:00'],
    ['status payments between 8:30 and 9pm', 'status payments 2026-11-20 20:30..21:00'],
    ['status payments 11-1pm yesterday', 'status payments 2026-11-20 11:00..13:00'],
    ['status payments 11-1am', 'status payments 2026-11-20 23:00..2026-11-21 01:00'],
    ['status payments 8am to noon', 'status payments 2026-11-21 08:00..12:00'],
    ['status payments 8am-noon', 'status payments 2026-11-21 08:00..12:00'],
    ['status payments 8 to noon', 'status payments 2026-11-21 08:00..12:00'],
    ['status payments yesterday noon-1pm', 'status payments 2026-11-20 12:00..13:00'],
    ['status payments yesterday 8pm to midnight', 'status payments 2026-11-20 20:00..2026-11-21 00:00'],
    ['status payments 8 to midnight', 'status payments 2026-11-20 20:00..2026-11-21 00:00'],
    ['status payments week 46', 'status payments 2026-11-09..2026-11-15'],
    ['status payments in calendar week 46, please', 'status payments 2026-11-09..2026-11-15'],
    ['status payments 2026-W46', 'status payments 2026-11-09..2026-11-15'],
    ['status payments week 52', 'status payments 2025-12-22..2025-12-28'],
    ['status payments week 1 of 2026', 'status payments 2025-12-29..2026-01-04'],
    ['status payments since week 47', 'status payments since 2026-11-16'],
    ['status payments monday to wednesday', 'status payments 2026-11-16..2026-11-18'],
    ['status payments saturday to monday', 'status payments 2026-11-14..2026-11-16'],
    ['status payments friday to saturday', 'status payments 2026-11-20..2026-11-21'],
    ['status payments between 9 and 10', 'status payments 2026-11-21 09:00..10:00'],
    ['status payments since 10:00 until 11:00', 'status payments 2026-11-21 10:00..11:00'],
    ['status payments since 9 to 10', 'status payments 2026-11-21 09:00..10:00'],
    ['status payments since 9', 'status payments since 2026-11-21 09:00'],
    ['status payments yesterday morning', 'status payments 2026-11-20 06:00..12:00'],
    ['status payments last weekend', 'status payments 2026-11-14..2026-11-15'],
    ['status payments october', 'status payments 2026-10-01..2026-10-31'],
    ['status payments Oct 2026', 'status payments 2026-10-01..2026-10-31'],
    ['status payments this weekend', 'status payments 2026-11-21..2026-11-22'],
    ['status payments last night', 'status payments 2026-11-20 18:00..2026-11-21 06:00'],
    ['failures last week', 'failures --window "last week"'],
    ['executions this month', 'executions --window "this month"'],
    ['activity since monday', 'activity --window "since monday"'],
    ['failures since monday at 9', 'failures --window "since 2026-11-16 09:00"'],
    ['status payments overnight', 'status payments last night'],
    ['status of payments for the last two days', 'status payments 2d'],
    ['logs payments last 24 hours', 'logs payments --window 24h'],
    ['timeline settlement last night', 'timeline settlement 2026-11-20 18:00..2026-11-21 06:00'],
    ['export payments 20 Nov 22:00 to 23:00', 'export payments --window "2026-11-20 22:00..23:00"'],
  ])('%s', expectSame);

  it.each([
    ['last week', '2026-11-09..2026-11-15', 'from 2026-11-09 to 2026-11-15'],
    ['this month', 'since 2026-11-01', 'since 2026-11-01'],
  ])('%s is %s', async (window, typed, dates) => {
    await expectSame(`status payments ${window}`, `status payments ${window}`);
    const text = await type(`status payments ${window}`);
    await type(`status payments ${typed}`);
    expect(text.replace(window, dates)).toBe(await type(`status payments ${typed}`));
  });

  it.each([
    ['status payments 3/4/2026', 'may be either of two dates'],
    ['why did executions of settlement fail at 8am', 'in the hour around 2026-11-21 08:00'],
    ['failures settlement around 08:00', 'in the hour around 2026-11-21 08:00'],
    ['executions payments @ 8pm', 'in the hour around 2026-11-20 20:00'],
    ['executions payments 20:29', 'in the hour around 2026-11-20 20:29'],
    ['settlement at 8am', 'in the hour around 2026-11-21 08:00'],
    ['status payments until 10:00', '“until 10:00” has an end and no start. Type a range'],
    ['failures before yesterday', 'has an end and no start'],
    ['executions payments since 2pm EST', 'since 2026-11-20 20:00 UTC+01:00'],
    ['executions payments 19:00 UTC to 20:00 UTC', 'from 2026-11-20 20:00 to 21:00 UTC+01:00'],
    ['payments since 2pm IST', 'has an unclear time zone: “ist”.'],
    ['failures payments last night EST', '“last night” has an unclear time zone: “EST”'],
    ['status payments EST since 2pm', '“since 2pm” has an unclear time zone: “EST”'],
    ['status payments tomorrow', 'has not begun yet'],
    ['status payments since last deploy', '“since last deploy” names no time.'],
    ['payments since the last failure', '“since the last failure” names no time.'],
    ['status payments until noon', '“until noon” has an end and no start. Type a range, such as 09:00..10:00.'],
    ['status payments until lunch', '“until lunch” has an end and no start. Type a range, such as 09:00..10:00.'],
    ['payments up to now', '“up to now” has an end and no start.'],
    ['failures since lunch', '“since lunch” names no time. Type its start, such as since 14:00.'],
    ['status payments week 53', '“week 53” is not a week that exists'],
    ['status payments week 0', '“week 0” is not a week that exists'],
    ['status payments week 50 2026', '“week 50 2026” has not begun yet'],
    ['status payments 0h', 'is empty'],
    ['status payments 24:00 to 23:00 20.11.2026', 'ends before it begins'],
  ])('%s %s', async (line, problem) => {
    expect(await type(line)).toContain(problem);
  });
});

describe('a name among other words', () => {
  it.each([
    ['status of payments', 'status payments'],
    ['status *payments*', 'status payments'],
    ['status `payments`', 'status payments'],
    ['status “payments”?', 'status payments'],
    ['status payments, please!', 'status payments'],
    ['status yesterday payments', 'status payments yesterday'],
    ['failures of payments in the last 2 hours', 'failures payments 2h'],
    ['failures for all workflows today', 'failures --window today'],
    ['payments last 7 days', 'status payments 7d'],
    ['show me payments', 'status payments'],
    ['why is payments failing?', 'status payments'],
    ['why did payments-eu fail yesterday?', 'status payments-eu yesterday'],
    ['is payments ok', 'status payments'],
    ['is payments back?', 'status payments'],
    ['when did payments start failing?', 'status payments'],
    ['how long has payments been failing?', 'status payments'],
    ['how often does fx-rates fail?', 'status fx-rates'],
    ['can you tell me about payments please', 'status payments'],
    ['what changed in payments?', 'deployments payments'],
    ['any problems since yesterday?', 'failures since yesterday'],
    ['PAYMENTS since yesterday', 'status payments since yesterday'],
    ['status pay-eu', 'status pay-eu'],
    ['timeline of payments', 'timeline payments'],
    ['logs for payments, please', 'logs payments'],
    ['deployments of payments?', 'deployments payments'],
    ['show logs payments', 'logs payments'],
    ['when was payments deployed?', 'deployments payments'],
    ['errors payments yesterday', 'failures payments yesterday'],
    ['status carbon credits', 'status carbon-credits'],
    ['failures payments_eu last night', 'failures payments-eu last night'],
    ['what failed last night?', 'failures last night'],
    ['what’s broken', 'failures'],
    ['is everything ok?', 'list'],
    ['is anything on fire?', 'failures'],
    ['executions payments page 2', 'executions payments --page 2'],
    ['list page 2', 'list --page 2'],
    ['logs payments grep error', 'logs payments --grep error'],
    ['logs payments node 3', 'logs payments --node 3'],
    ['logs payments node-7', 'logs payments --node node-7'],
    ['logs payments Node-7, please', 'logs payments --node Node-7'],
    ['logs of payments on node-7', 'logs payments --node node-7'],
    ['logs node-7 payments', 'logs payments --node node-7'],
    ['logs pay-eu node-7', 'logs pay-eu --node node-7'],
    ['logs payments node-7 yesterday', 'logs payments yesterday --node node-7'],
    ['logs payments node-7 --grep error', 'logs payments --node node-7 --grep error'],
    ['what broke yesterday', 'failures yesterday'],
    ['how many failures today', 'failures today'],
    ['how many runs today?', 'executions today'],
    ['which workflows are silent?', 'list silent'],
    ['paused', 'list paused'],
    ['payments!!', 'status payments'],
    ['Status: payments', 'status payments'],
    ['status «payments»', 'status payments'],
    ['status https://example.com/workflows/payments', 'status payments'],
    ['status https://example.com/workflows/Payments/runs?tab=1', 'status payments'],
    ['status <https://example.com/payments|payments>', 'status payments'],
    [
      'failures https://example.com/workflows/%D0%9A%D1%83%D1%80%D1%81%D1%8B-%D0%B2%D0%B0%D0%BB%D1%8E%D1%82',
      'failures Курсы-валют',
    ],
    ['https://example.com/workflows/settlement yesterday', 'status settlement yesterday'],
    ['🔥 payments', 'status payments'],
    ['status   payments   pls', 'status payments'],
    ['last failed run of payments', 'status payments'],
    ['logs of the last failed run of payments', 'logs payments'],
    ['timeline last payments run', 'timeline payments'],
    ['status курсы валют', 'status Курсы-валют'],
    ['/workflow failures payments', 'failures payments'],
    ['help!', 'help'],
    ['help me please', 'help'],
    ['help with the logs', 'help logs'],
    ['list payments please', 'list payments'],
    ['list pay failing', 'list pay --status failing'],
    ['list failing workflows', 'list failing'],
    ['list all', 'list'],
    ['executions payments successful', 'executions payments --status succeeded'],
    ['executions payments failed', 'executions payments --status failed'],
    ['executions failed 7d', 'executions --status failed 7d'],
    ['list down', 'list --status failing'],
    ['list failing.', 'list --status failing'],
    ['list --status failing.', 'list --status failing'],
    ['help status.', 'help status'],
    ['executions payments running', 'executions payments --status in-progress'],
    ['executions payments in progress', 'executions payments --status in-progress'],
    ['executions payments-eu with errors', 'executions payments-eu --status with-errors'],
    ['executions payments failed or running', 'executions payments --status failed,in-progress'],
    ['failed runs of payments yesterday', 'executions payments --status failed yesterday'],
    ['good runs of payments', 'executions payments --status succeeded'],
    ['what’s running?', 'executions --status in-progress'],
    ['list red', 'list --status failing'],
    ['list failing and silent', 'list --status failing,silent'],
    ['list not healthy', 'list --status failing,silent,never-ran,unstable,completed-with-errors'],
    ['what’s not ok?', 'list --status failing,silent,never-ran,unstable,completed-with-errors'],
    ['which workflows recovered?', 'list recovered'],
  ])('%s', expectSame);

  it.each([
    ['status xau usd', 'xau-usd-price-feed'],
    ['status nav report last week.', 'daily-nav-report'],
    ['failures eth usd', 'eth-usd-price-feed'],
  ])('%s is taken for the one name with these words', async (line, name) => {
    expect(await type(line)).toContain(`Showing ${name}, the closest match`);
  });

  it.each(['status https://example.com/x?name=payments', 'status xyz:payments:1'])(
    '%s has a name in it',
    async (line) => {
      const text = await type(line);
      expect(text).toMatch(/No workflow is called .*\. Closest name:\n• payments \(active\)/);
    },
  );

  it.each([
    ['status payments lastish week', '“lastish week” was left out'],
    ['status payments next week', '“next week” was left out'],
    ['payments lastish week', '“lastish week” was left out'],
  ])('%s is answered for payments and says what was left out', async (line, note) => {
    const text = await type(line);
    expect(text).toContain(note);
    expect(text.replace(/^.*\n/, '')).toMatch(/payments(?!-)/);
    expect(text).not.toContain('payments-eu');
  });

  it.each([
    ['failures payments 24h 7d', 'failures payments 7d', '“24h” was left out: an answer has one window, here “7d”.'],
    ['failures 24h 7d', 'failures 7d', '“24h” was left out: an answer has one window, here “7d”.'],
    ['activity payments 7d 24h', 'activity payments 24h', '“7d” was left out'],
    ['status payments yesterday last week', 'status payments last week', '“yesterday” was left out'],
    ['status yesterday payments last week', 'status payments last week', '“yesterday” was left out'],
    ['failures today yesterday', 'failures yesterday', '“today” was left out'],
    ['status payments 24h --window 7d', 'status payments 7d', 'here “7d”'],
    ['deployments payments 7d', 'deployments payments', '“7d” was left out: this answer takes no window.'],
    ['deployment payments last week', 'deployment payments', 'this answer takes no window.'],
    ['list payments last 7 days', 'list payments', '“last 7 days” was left out: this answer takes no window.'],
    ['list failing yesterday', 'list --status failing', '“yesterday” was left out'],
    ['list 24h', 'list', '“24h” was left out'],
  ])('%s is %s, with a sentence about the window', async (line, meant, note) => {
    await type(meant);
    // With one line more, a long text is cut a line earlier.
    const linesOf = async (typed: string) => (await type(typed)).split(/\n(?!… and )/);
    const [first = '', ...rest] = await linesOf(line);
    expect(first).toContain(note);
    const lines = await linesOf(meant);
    expect(rest.slice(0, -1)).toEqual(lines.slice(0, rest.length - 1));
    expect(rest.length).toBeGreaterThan(lines.length - 3);
  });

  it('a run in a window is the newest failure that started in it, else the newest run', async () => {
    const { root } = await test().investigate('execution settlement yesterday');
    expect(root.text).toMatch(/settlement failed .*2026-11-20/);
    expect((await test().investigate('execution payments yesterday')).root.text).toMatch(
      /payments succeeded .*2026-11-20/,
    );
    expect((await test().investigate('execution payments last good run')).root.text).toContain('payments succeeded');
    expect(await type('logs invoice-sync yesterday')).toContain(
      'The query service has no run of this workflow that started in the window “yesterday”',
    );
  });

  it.each(['status all', 'status 7d', 'deployments everything', 'logs yesterday'])(
    '%s asks for a name',
    async (line) => {
      expect(await type(line)).toMatch(/Which (?:workflow|run)\? Give its/);
    },
  );

  it.each([
    ['staus paymets', 'status payments'],
    ['stauts paymnts 7d', 'status payments 7d'],
    ['failurs setlement since yesterday', 'failures settlement since yesterday'],
    ['logz paymets --grep "a b"', 'logs payments --grep "a b"'],
    ['excution paymets', 'execution payments'],
    ['timline settlemen', 'timeline settlement'],
    ['staus payments-xyzzy', 'status payments-xyzzy'],
    ['digst paymets', 'digest paymets'],
  ])('%s has a mistyped command: %s is suggested, in words and as a button', async (line, meant) => {
    const { answer, text } = await test().type(line);
    expect(text).toContain(`Did you mean:\n• /workflow ${meant} `);
    expect(text).not.toContain('is failing');
    expect(JSON.stringify(answer.message.blocks)).toContain(`"value":${JSON.stringify(meant)}`);
  });

  it.each(['ok thanks', 'hi!', 'good night 👍'])('%s asks nothing, and nothing is looked up', async (line) => {
    expect(await type(line)).toContain('nothing was looked up');
  });

  it('a format beside the name of an export is understood', async () => {
    expect(await type('export settlement json')).toContain('(JSON, ');
    expect(await type('export settlement json')).not.toContain('left out');
  });

  it('a digest with its time is told about the form', async () => {
    expect(await type('digest every monday 9am')).toMatch(/\/workflow digest to set up a new digest in a form/);
  });

  it.each(['why?', 'what happened?', 'What now', 'since when?'])('%s alone is told what to type', async (line) => {
    expect(await type(line)).toMatch(/Which workflow do you mean\?\s+Name it, as in “why is payments failing\?”/);
  });

  it.each(['status', 'failures', 'executions', 'deployments', 'activity'])(
    '%s of a run means its workflow',
    async (word) => {
      const { answer } = await test().type('executions settlement --status failed 7d');
      const [, uuid = ''] = /"execution ([0-9a-f-]{36})"/.exec(JSON.stringify(answer.message.blocks)) ?? [];
      await expectSame(`${word} run ${uuid}`, `${word} settlement`);
    },
  );

  it.each(['status payments settlement', 'status payments eu', 'payments staging'])(
    '%s asks which is meant',
    async (line) => {
      expect(await type(line)).toMatch(/may be one of 2 workflows/);
    },
  );

  it('status payments settlement fx-rates asks which of the three is meant', async () => {
    const text = await type('status payments settlement fx-rates');
    expect(text).toMatch(/may be one of 3 workflows/);
    expect(text).toContain('fx-rates');
  });

  it.each(['execution payments last', 'execution latest payments'])(
    '%s is the newest failure of payments',
    async (line) => {
      expect((await test().investigate(line)).subject).toBe((await test().investigate('execution payments')).subject);
    },
  );

  it('a thread for everyone is opened only if every word was understood', async () => {
    const text = await type('execution payments xyz');
    expect(text).toMatch(
      /“xyz” was left out: it is neither a window nor part of a name.*Do you mean this one\?.*payments/s,
    );
    expect(text).not.toContain('No name is similar');
  });
});
