/** Links to the platform's web page. */
import { describe, expect, it } from 'vitest';
import { createWebLinks } from '../../../src/bot/domain/web-links.ts';
import { useTestCommands } from '../../support/bot/commands.ts';

const page = 'https://platform.example/w/{workflowUuid}';
const test = useTestCommands({ webLinks: { workflow: page, execution: `${page}/e/{executionUuid}` } });
const bare = useTestCommands();
const uuid = '[0-9a-f-]{36}';

describe('a link to the platform’s web page', () => {
  it('is a button of a status card, to the workflow', async () => {
    const { answer } = await test().type('status payments');
    expect(JSON.stringify(answer.message.blocks)).toMatch(
      new RegExp(`"On the web".*"url":"https://platform.example/w/${uuid}"`),
    );
  });

  it('is a button of a verdict, to the execution', async () => {
    const [verdict] = (await test().investigate('execution payments')).replies;
    expect(JSON.stringify(verdict?.message.blocks)).toMatch(
      new RegExp(`"On the web".*"url":"https://platform.example/w/${uuid}/e/${uuid}"`),
    );
  });

  it('is absent if no address is configured', async () => {
    const { answer } = await bare().type('status payments');
    const [verdict] = (await bare().investigate('execution payments')).replies;
    expect(JSON.stringify([answer.message, verdict?.message])).not.toContain('"url"');
  });

  it('encodes ids, and is absent if an id that it needs is unknown', () => {
    const links = createWebLinks({ workflow: page, execution: `${page}/{executionUuid}` });
    expect(links.workflow('a/../b?')).toBe('https://platform.example/w/a%2F..%2Fb%3F');
    expect(links.execution('e1', null)).toBeUndefined();
  });
});
