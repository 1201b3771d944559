/** View of `help`. */
import { describe, expect, it } from 'vitest';
import * as registry from '../../../../../src/bot/commands/registry.ts';
import { helpMessage, helpOverviewMessage } from '../../../../../src/bot/commands/words/help/view.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';

const commands = Object.values(registry);
const slashCommand = '/workflow';
const overview = { commands, slashCommand, visibility: 'ephemeral', supportUrl: undefined, adminIds: [] } as const;
const blocksOf = (message: { readonly blocks: readonly unknown[] }) => JSON.stringify(message.blocks);

describe('help', () => {
  it('names every command, and its buttons work in every organization', () => {
    const message = helpOverviewMessage(overview);
    for (const { name } of commands) expect(message.text).toContain(`/workflow ${name}`);
    const lines = [...blocksOf(message).matchAll(/"value":"([^"]*)"/g)].map(([, line]) => line);
    expect(lines).toEqual(['account', 'activity', 'executions', 'failures', 'list']);
    expectGoodMessage(message);
  });

  it('begins with status, in sections', () => {
    const { text } = helpOverviewMessage(overview);
    expect(text).toMatch(
      /Look\n• \/workflow status .*Investigate\n.*\/workflow logs .*Digests\n.*\/workflow digest .*Set up\n.*\/workflow connect/s,
    );
  });

  it.each(commands.filter(({ subcommands }) => subcommands))('about $name explains each subcommand', (command) => {
    const { text } = helpMessage({ command, slashCommand });
    for (const { usage, summary } of command.subcommands ?? []) expect(text).toContain(`/workflow ${usage} ${summary}`);
  });

  it('about digest explains every word that its usage names', () => {
    const { usage = '', subcommands } = commands.find(({ name }) => name === 'digest') ?? {};
    const words = /^\[([\w|]+)\]/.exec(usage)?.[1]?.split('|') ?? [];
    expect(words).not.toEqual([]);
    expect(subcommands?.map((each) => each.usage.split(' ')[1]).filter(Boolean)).toEqual(words);
  });

  it('names the role that a command requires', () => {
    const { text } = helpOverviewMessage(overview);
    expect(text).toMatch(/workflow audit .*\(for bot admins\)/);
    expect(text).not.toMatch(/workflow list .*\(for/);
  });

  it.each([
    ['ephemeral', 'Only you see an answer'],
    ['channel', 'Everyone in the channel'],
  ] as const)('says who sees answers where the admins chose %s', (visibility, words) => {
    expect(helpOverviewMessage({ ...overview, visibility }).text).toContain(words);
  });

  it('links the support page of the operator, or says whom to ask', () => {
    expect(helpOverviewMessage(overview).text).toMatch(/feedback: ask a workspace admin or bot admin\./);
    expect(helpOverviewMessage({ ...overview, adminIds: ['U0ADA'] }).text).toMatch(
      /feedback: ask a workspace admin or bot admin \(<@U0ADA>\)\./,
    );
    const message = helpOverviewMessage({ ...overview, supportUrl: 'https://example.com/support?a=<b>&c' });
    expect(blocksOf(message)).toContain('"url":"https://example.com/support?a=%3Cb%3E&c"');
    expect(message.text).not.toContain('<b>');
    expectGoodMessage(message, ['https://example.com/support?a=%3Cb%3E&c']);
  });

  it('shows a support page that is no plain https address as inert text', () => {
    const message = helpOverviewMessage({ ...overview, supportUrl: 'http://example.com/<!channel>' });
    expect(blocksOf(message)).not.toContain('"type":"link"');
    expect(message.text).not.toContain('<!channel>');
  });

  it('lets a person choose the workflow whose status to see', () => {
    expect(blocksOf(helpOverviewMessage(overview))).toContain('cmd:open:search:status ');
  });

  it.each(commands)('about $name fits Slack', (command) => {
    expectGoodMessage(helpMessage({ command, slashCommand }));
  });

  it.each([
    ['failures', ['search', 'button']],
    ['execution', ['search']],
    ['deployments', ['search']],
    ['list', ['button']],
    ['account', ['button']],
  ])('about %s offers %j', (name, ways) => {
    const command = commands.find((each) => each.name === name);
    const blocks = command ? blocksOf(helpMessage({ command, slashCommand })) : '';
    const found = [
      blocks.includes(`cmd:open:search:${name} `) && 'search',
      blocks.includes(`"value":"${name}"`) && 'button',
    ];
    expect(found.filter(Boolean)).toEqual(ways);
  });
});
