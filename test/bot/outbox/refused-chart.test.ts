/** A digest whose chart Slack refuses: posted without it once, also if delivery breaks off between the refusal and the next variant. */
import { expect, it } from 'vitest';
import type { Failpoint } from '../../../src/bot/outbox/failpoints.ts';
import type { Sent } from '../../../src/bot/outbox/ports.ts';
import { barChart } from '../../../src/bot/views/blocks/chart.ts';
import { message } from '../../../src/bot/views/blocks/message.ts';
import { paragraph, rich } from '../../../src/bot/views/blocks/rich-text.ts';
import { type Post, rootAndReply, startWorker, type WorkerTestOptions } from '../../support/bot/outbox-worker.ts';

const failures = { name: 'Failed', values: [3] };
const root = message([paragraph(rich`3 failures`), barChart('Failures per day', ['Fri 20'], [failures])]);
const content = { ...rootAndReply, build: async () => ({ root, replies: [] }) };
const refused: Sent = { kind: 'content', error: 'invalid_blocks' };

async function begin(options: WorkerTestOptions) {
  const test = await startWorker({ content, ...options });
  await test.subscribe('T1');
  test.worker.start();
  test.pass(1000);
  return test;
}

const variantsOf = (posts: readonly Post[]) => posts.map(({ variant }) => variant);

it('a refused chart is left out', async () => {
  const answer = ({ variant }: Post) => (variant === 'whole' ? refused : undefined);
  const { posts, until } = await begin({ answer });
  await until('after finish');
  expect(variantsOf(posts)).toEqual(['whole', 'lists']);
});

it('a digest that is refused without its chart, too, is posted as text', async () => {
  const answer = ({ variant }: Post) => (variant === 'text' ? undefined : refused);
  const { posts, until } = await begin({ answer });
  await until('after finish');
  expect(variantsOf(posts)).toEqual(['whole', 'lists', 'text']);
});

it.each<[Failpoint, number]>([
  ['after send', 1],
  ['after outcome', 1],
  ['before intent', 2],
  ['after intent', 2],
])('the digest is neither lost nor doubled if delivery breaks off at “%s” number %i', async (point, number) => {
  let reached = 0;
  const onStep = (step: Failpoint) => {
    if (step === point && ++reached === number) throw new Error('Delivery breaks off here.');
  };
  const accepted: Post[] = [];
  const answer = (post: Post): Sent | undefined => {
    if (post.variant === 'whole') return refused;
    accepted.push(post);
    return undefined;
  };
  const find: WorkerTestOptions['find'] = () => accepted.map(({ opaqueId }) => ({ ts: '9.0', opaqueId }));
  const { until, pass, outbox } = await begin({ answer, onStep, find });
  await until('after release');
  pass(2 * 60_000);
  await until('after finish');
  expect(variantsOf(accepted)).toEqual(['lists']);
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted', messages: [{ state: 'sent' }] }]);
});
