/** `execution` finds the true cause of each story of the sample. */
import { describe, expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/bot/commands.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';

const test = useTestCommands();

/** @returns the executions that an answer's buttons and menu lead to, in order */
async function found(line: string) {
  const { answer } = await test().type(line);
  return [...JSON.stringify(answer.message.blocks).matchAll(/"(execution [0-9a-f-]{36})"/g)].map(([, one = '']) => one);
}

/** @returns the replies' texts by name, and the thread */
async function investigate(line: string) {
  const thread = await test().investigate(line);
  for (const { message } of thread.replies) expectGoodMessage(message);
  const textOf = (name: string) => thread.replies.find((reply) => reply.name === name)?.message.text ?? '';
  return {
    thread,
    verdict: `${thread.root.text}\n${textOf('verdict')}`,
    timeline: textOf('timeline'),
    logs: textOf('logs'),
    comparison: textOf('comparison'),
  };
}

describe('an execution', () => {
  it('of payments has failed since its deployment, classified as the workflow’s fault, in the second call', async () => {
    const { verdict, timeline, logs, comparison, thread } = await investigate('execution payments');
    expect(verdict).toContain(', classified as the workflow’s fault');
    expect(verdict).toMatch(
      /Failures began .* the deployment of <!date.*0 of the last .* runs failed before, 80 of 80 \(100 %\) after/,
    );
    expect(verdict).toContain('9 of 9 nodes');
    expect(verdict).toMatch(/80 failures in a row, all with this cause/);
    expect(timeline).toMatch(/:x: .*http-actions.*failed.*← the run failed here/);
    expect(logs).toMatch(/^Logs of payments, run [0-9a-f]{8} \(<!date.*all 9 nodes logged the same lines/);
    expect(timeline).toMatch(/^Capability timeline of payments, run [0-9a-f]{8} \(<!date/);
    expect(logs).not.toContain('Bearer ey');
    expect(comparison).toContain('First difference: step 5, http-actions');
    const picture = await thread.replies[1]?.file?.content();
    expect(
      Buffer.from(picture ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(verdict).toContain('still failing');
    expect(JSON.stringify(thread.replies[0]?.message.blocks)).toContain('"Refresh"');
    expect(thread.isFinal).toBe(false);
  });

  it('that is the last run of a silent workflow says so before its result, with what to try', async () => {
    const { thread, verdict } = await investigate('execution carbon-credits');
    for (const text of [thread.root.text, verdict]) {
      expect(text).toMatch(
        /^:warning: carbon-credits has gone silent: no run for 6 h .*\sIts last run: :white_check_mark:/,
      );
      expect(text).toContain('What to try: check on the platform whether the trigger still fires');
    }
    const [details] = thread.replies;
    expect(details?.message.text).toMatch(/^Its last run: :white_check_mark:/);
  });

  it('of collateral-rebalance has the innermost error as its cause, and blames no deployment', async () => {
    const { verdict, timeline } = await investigate('execution collateral-rebalance');
    expect(verdict).toContain('insufficient allowance');
    expect(verdict).not.toContain('Failures began');
    expect(timeline).toMatch(/evm:write.*completed with errors.*← the run failed here/);
  });

  it('of xau-usd-price-feed names the node that differs and why, and that it has come back', async () => {
    const { logs, verdict } = await investigate('execution xau-usd-price-feed');
    expect(logs).toMatch(/8 of 9 nodes logged the same lines/);
    expect(logs).toMatch(/×8 XAU\/USD 23.*\(3 of 3 sources\)\n.* ×1 XAU\/USD 2411\.07 \(1 of 3 sources\)\n/);
    expect(logs).toMatch(/node-?7.*2411\.07/s);
    expect(verdict).toContain(', classified as the platform’s fault');
    expect(verdict).toMatch(
      /Probable cause: 1 of 9 nodes \(node-7\) .*The error of the other nodes names this node: “/,
    );
    expect(verdict).toMatch(/1 of 9 nodes: .*certificate has expired/);
    expect(verdict).toMatch(
      /Did not run: evm:write@1.0.0 WriteReport.*node-7 differs.*New since <!date[^>]*>: 23 other failures with this cause, none is known before/s,
    );
    expect(verdict).toContain('tell the platform’s support that this has come back');
  });

  it('of fx-rates is one of many occasional failures, for which no deployment is blamed', async () => {
    const { verdict } = await investigate('execution fx-rates');
    expect(verdict).not.toContain('Failures began');
    expect(verdict).toMatch(/succeeded again.*Recurring: at least \d+ other failures with this cause/s);
    expect(verdict).toContain('Only this workflow failed this way');
  });

  it('of the outage is part of one platform incident: the answer names the other workflows, the silent nodes and its end', async () => {
    const { verdict, logs } = await investigate('execution eth-usd-price-feed');
    expect(verdict).toMatch(/succeeded again.*56 failures in a row, all with this cause/s);
    expect(verdict).toMatch(
      /4 other workflows .*: payments-eu, proof-of-reserves, risk-model, settlement; usually none in that time\n/,
    );
    expect(verdict).toContain('left undone. Several workflows failed this way. If this comes back');
    expect(logs).toMatch(
      /only 3 of 7 nodes logged anything, and they logged the same lines.*Logged nothing: node-4, node-5, node-6, node-7/s,
    );
  });

  it('of settlement beside the outage has a rare recurring cause of its own', async () => {
    const [rare = ''] = await found('failures settlement 30d');
    const { verdict } = await investigate(rare);
    expect(verdict).toMatch(/workflow’s fault.*SlippageExceeded\(minimum \d+, received \d+\)/s);
    expect(verdict).toMatch(/Recurring: 22 other failures/);
  });

  it('without any detail says that no more is known, and assigns no fault', async () => {
    const [bare = ''] = await found('failures proof-of-reserves 30d');
    const { verdict } = await investigate(bare);
    expect(verdict).toMatch(/the reason is not known.*6 other failures without an error text/s);
    expect(verdict).not.toContain('failed this way');
  });

  it('that succeeded although two nodes had errors in a call says both', async () => {
    const lines = (await found('executions payments-eu')).slice(0, 12);
    const verdicts = await Promise.all(lines.map(async (line) => (await investigate(line)).verdict));
    expect(verdicts.filter((verdict) => /Succeeded although step 2, .* on 2 nodes/.test(verdict)).length).toBe(2);
  });

  it('with a name in another alphabet is shown in its own letters', async () => {
    const [newest = ''] = await found('failures Курсы-валют 7d');
    expect((await investigate(newest)).verdict).toContain('истекло время ожидания 8 с');
  });

  it('with a long log counts what it leaves out and has the whole as a file', async () => {
    const [newest = ''] = await found('executions daily-nav-report 7d');
    const { logs, thread } = await investigate(newest);
    expect(logs).toMatch(/… 75 lines left out ….*in the attached file/s);
    expect(thread.replies.map(({ file }) => file?.name).join()).toMatch(/logs-\w+\.txt/);
  });

  it('whose last successful run has no stored steps reports no extra step', async () => {
    const { comparison } = await investigate('execution daily-nav-report');
    expect(comparison).toContain('the steps to compare were not kept');
    expect(comparison).not.toContain('in the good run it did not');
  });

  it('in progress shows its current step, and can be refreshed', async () => {
    const [running = ''] = await found('executions risk-model --status running');
    const { verdict, timeline, thread } = await investigate(running);
    expect(thread.isRunning).toBe(true);
    expect(verdict).toMatch(/in progress.*Running for 1 min 59 s so far\n• Now in step 3, confidential-http/s);
    expect(timeline).toMatch(/3\. :hourglass.* in progress/);
    expect(thread.isFinal).toBe(false);
  });

  it('that does not exist is refused like one of another organization', async () => {
    const foreign = await test().type('execution b1acc0de-0000-4000-8000-000000000000');
    const random = await test().type('execution 00000000-0000-4000-8000-000000000000');
    expect(foreign.text).toBe(random.text);
  });

  it('of an ambiguous name has a list to choose from', async () => {
    const { answer } = await test().type('execution pay');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"execution [0-9a-f-]{36}"/);
  });
});
