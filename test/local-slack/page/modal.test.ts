/** Modals in a real browser: filled in with mouse and keys, refused, waited for, left. */
import type { ModalView } from '@slack/types';
import { describe, expect } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { browserTest, visit } from '../../support/slack/browser.ts';
import { type SocketEvent, type SocketListener, webClient } from '../../support/slack/local-slack.ts';
import { askingView, modalListeners, option, plain, viewTitled } from '../../support/slack/modals.ts';
import { openPage } from '../../support/slack/page.ts';

const options = ['one', 'two'].map(option);
const input = (label: string, element: object, more: object = {}) => ({
  type: 'input',
  block_id: label,
  label: plain(label),
  element: { action_id: 'it', ...element },
  ...more,
});

/** The page with a modal over it. */
async function opened(view: ModalView, answer: unknown = undefined, width = 1280) {
  const { on, heard, trigger } = modalListeners(answer);
  const visited = await openPage({ on, width });
  const client = webClient(visited.slack);
  await client.views.open({ trigger_id: await trigger(visited.slack), view });
  const dialog = visited.page.getByRole('dialog');
  await dialog.waitFor();
  return { ...visited, dialog, heard, client };
}

describe('a modal', () => {
  browserTest.each([1280, 400])('is filled in and submitted at %i pixels', async (width) => {
    const blocks = [
      input('Name', { type: 'plain_text_input' }),
      input('Kind', { type: 'static_select', options }),
      input('Days', { type: 'checkboxes', options }),
      input('Who', { type: 'multi_users_select' }),
      input('Only', { type: 'radio_buttons', options }),
      input('At', { type: 'timepicker' }),
    ];
    const { page, dialog, heard, complaints } = await opened(viewTitled('New digest', { blocks }), undefined, width);
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('morning');
    await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('The two');
    await dialog.getByRole('checkbox', { name: 'The one' }).check();
    await dialog.getByRole('combobox', { name: 'Who' }).selectOption('Ben Carter');
    await dialog.getByRole('radio', { name: 'The two' }).check();
    await dialog.getByLabel('At').fill('09:30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const values = {
      Name: { it: { value: 'morning' } },
      Kind: { it: { selected_option: option('two') } },
      Days: { it: { selected_options: [option('one')] } },
      Who: { it: { selected_users: [personId('ben')] } },
      Only: { it: { selected_option: option('two') } },
      At: { it: { selected_time: '09:30' } },
    };
    expect(heard).toMatchObject([{ type: 'view_submission', view: { state: { values } } }]);
    expect(complaints).toEqual([]);
  });

  browserTest('is named by its title, holds the focus, and gives it back', async () => {
    const { page, slack, dialog } = await opened(askingView);
    expect(await page.getByRole('dialog', { name: 'Connect' }).count()).toBe(1);
    const hasFocus = () => dialog.evaluate((element) => element.contains(document.activeElement));
    for (const _ of Array.from({ length: 8 })) {
      await page.keyboard.press('Tab');
      expect((await page.evaluate(() => document.activeElement === document.body)) || (await hasFocus())).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => slack.modals(personId('ada'))).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('composer-input');
  });

  browserTest('is gone with its window: a reload shows none', async () => {
    const { page, dialog, client, slack } = await opened(askingView);
    await page.reload();
    await page.locator('[role=log][aria-busy=false]').waitFor();
    const view_id = slack.modals(personId('ada'))[0]?.id ?? '';
    await client.views.update({ view_id, view: viewTitled('Later', { submit: undefined, blocks: [] }) });
    expect(await dialog.count()).toBe(0);
  });

  browserTest('is in the window that opened it, and in no other that is open', async () => {
    const { on } = modalListeners();
    const client = () => webClient(visited.slack);
    const slash_commands: SocketListener = async ({ ack, body }) => {
      await ack();
      await client().views.open({ trigger_id: String(body['trigger_id']), view: askingView });
    };
    const visited = await openPage({ on: { ...on, slash_commands } });
    const { page: other } = await visit({ url: visited.slack.url });
    await visited.page.getByRole('textbox').fill('/workflow connect');
    await visited.page.keyboard.press('Enter');
    await visited.page.getByRole('dialog').waitFor();
    // An event after it shows that the other window has heard of the form.
    await visited.slack.say({ user: personId('ada'), channel: channelId('general'), text: 'and then' });
    await other.getByText('and then').waitFor();
    expect(await other.getByRole('dialog').count()).toBe(0);
  });

  browserTest('shows the error at the input, and focuses it', async () => {
    const { page, dialog, heard } = await opened(askingView, {
      response_action: 'errors',
      errors: { endpoint: 'No such host.' },
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Please complete this required field.').waitFor();
    expect(heard).toEqual([]);
    await page.keyboard.type('nowhere');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await page.keyboard.press('Enter');
    await dialog.getByText('No such host.').waitFor();
    const field = dialog.getByRole('textbox', { name: 'Endpoint' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe('nowhere');
    expect(await field.evaluate((element) => element.getAttribute('aria-describedby'))).toMatch(/-error$/);
  });

  browserTest('waits for the app, and cannot be submitted twice meanwhile', async () => {
    const answered = Promise.withResolvers<void>();
    const { on, trigger } = modalListeners();
    const interactive = ({ ack }: SocketEvent) => answered.promise.then(() => ack());
    const { page, slack } = await openPage({ on: { ...on, interactive } });
    await webClient(slack).views.open({ trigger_id: await trigger(slack), view: askingView });
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByRole('textbox', { name: 'Endpoint' }).fill('x');
    await save.click();
    await page.locator('[type=submit][aria-busy=true]').waitFor();
    expect(await save.isDisabled()).toBe(true);
    answered.resolve();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  browserTest('reports a timeout, and keeps the typed text', async () => {
    const { slack, dialog } = await opened(askingView);
    slack.disconnectSockets('abrupt');
    await slack.whenConnected(false);
    await dialog.getByRole('textbox').fill('x');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('We had some trouble connecting. Try again? (dispatch_failed)').waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('x');
  });

  browserTest('that replaces a waiting one focuses the requested input', async () => {
    const { page, slack, dialog, client } = await opened(viewTitled('One moment', { submit: undefined, blocks: [] }));
    await dialog.locator('button:focus').waitFor();
    const asking = input('Second', { type: 'plain_text_input', focus_on_load: true });
    const blocks = [input('First', { type: 'plain_text_input' }), asking];
    const view_id = slack.modals(personId('ada'))[0]?.id ?? '';
    await client.views.update({ view_id, view: viewTitled('Order', { blocks }) });
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('here');
    expect(await dialog.getByRole('textbox', { name: 'Second' }).inputValue()).toBe('here');
  });

  browserTest('keeps the typed text while the app changes the other blocks', async () => {
    const { slack, dialog, client } = await opened(askingView);
    await dialog.getByRole('textbox').fill('half of it');
    const view_id = slack.modals(personId('ada'))[0]?.id ?? '';
    const more = { type: 'section', text: plain('Checking…') };
    await client.views.update({ view_id, view: viewTitled('Still', { blocks: [more, ...askingView.blocks] }) });
    await dialog.getByText('Checking…').waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('half of it');
  });
});

describe('a modal over another one', () => {
  const over = { response_action: 'push', view: viewTitled('Sure?', { blocks: [], close: plain('Back') }) };

  browserTest('closes with Escape, and the one below keeps its text', async () => {
    const { page, dialog } = await opened(askingView, over);
    await dialog.getByRole('textbox').fill('typed');
    await page.keyboard.press('Enter');
    await dialog.getByRole('heading', { name: 'Sure?' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('heading', { name: 'Connect' }).waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('typed');
  });

  browserTest('closes with the whole stack by the cross', async () => {
    const { page, dialog } = await opened(askingView, over);
    await dialog.getByRole('textbox').fill('typed');
    await page.keyboard.press('Enter');
    await dialog.getByRole('heading', { name: 'Sure?' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});

describe('in a modal', () => {
  browserTest('Escape in an open menu closes the menu alone', async () => {
    const { page, dialog } = await opened(
      viewTitled('T', { blocks: [input('Kind', { type: 'external_select', min_query_length: 0 })] }),
      { options },
    );
    await dialog.getByRole('button', { name: /^Kind/ }).click();
    await page.getByRole('button', { name: 'The one' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'The one' }).waitFor({ state: 'detached' });
    expect(await dialog.count()).toBe(1);
  });

  browserTest('the app gets dispatched inputs, with the values of the others', async () => {
    const blocks = [
      input('Name', { type: 'plain_text_input' }),
      input('Kind', { type: 'static_select', options }, { dispatch_action: true }),
    ];
    const { dialog, heard } = await opened(viewTitled('T', { blocks }));
    await dialog.getByRole('textbox').fill('half');
    await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('The one');
    const values = { Name: { it: { value: 'half' } }, Kind: { it: { selected_option: option('one') } } };
    await expect.poll(() => heard).toMatchObject([{ type: 'block_actions', view: { state: { values } } }]);
  });

  browserTest('choices of a multi-select are shown, and can be removed', async () => {
    const menu = input('Names', { type: 'multi_external_select', min_query_length: 0 });
    const { page, dialog, heard } = await opened(viewTitled('T', { blocks: [menu] }), { options });
    for (const name of ['The one', 'The two']) {
      await dialog.getByRole('button', { name: /^Names/ }).click();
      await page.getByRole('button', { name, exact: true }).click();
    }
    await dialog.getByRole('button', { name: 'Remove The one' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const state = { values: { Names: { it: { selected_options: [option('two')] } } } };
    await expect.poll(() => heard.at(-1)).toMatchObject({ type: 'view_submission', view: { state } });
  });
});
