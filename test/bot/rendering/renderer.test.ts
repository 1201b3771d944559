/** Drawing in a worker: real pictures, without blocking the main thread. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { PictureRenderer, type RendererLimits } from '../../../src/bot/rendering/renderer.ts';
import { timelineSvg } from '../../../src/bot/views/charts/timeline.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { drawnTimeline, sizeOf } from '../../support/drawing/pictures.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { turnsDuring } from '../../support/runner/turns.ts';

const picture = (calls: number) => timelineSvg({ title: 'payout-batch', timeline: drawnTimeline({ calls }) });
const closers: (() => Promise<void>)[] = [];

function startRenderer(limits: Partial<RendererLimits> = {}) {
  const memory = createMemoryLog();
  // A busy machine needs longer for a picture than people would wait.
  const renderer = new PictureRenderer(memory.log, { timeoutMs: 60_000, ...limits });
  const close = () => renderer.close();
  closers.push(close);
  return { render: (svg: string) => renderer.render(svg), close, messages: memory.messages };
}

/** The next thread that this process starts. */
async function nextWorker(): Promise<Worker> {
  const [worker] = await once(process, 'worker');
  return worker;
}

const refused = expect.objectContaining({ code: 'unavailable', isRetryable: true });

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('the renderer of pictures', () => {
  it('draws a PNG of the picture’s own size', async () => {
    const svg = picture(3);
    const png = await startRenderer().render(svg);
    expect(sizeOf(png)).toEqual({ width: 800, height: Number(/height="(\d+)"/.exec(svg)?.[1]) });
  });

  it('starts no thread before the first picture', async () => {
    let workers = 0;
    const onWorker = () => {
      workers += 1;
    };
    process.on('worker', onWorker);
    const { render } = startRenderer();
    const before = workers;
    await Promise.all([render(picture(1)), render(picture(2))]);
    process.off('worker', onWorker);
    expect([before, workers]).toEqual([0, 1]);
  });

  it('leaves the main thread free while it draws', async () => {
    const { render } = startRenderer();
    await render(picture(1));
    const svg = picture(100);
    expect(await turnsDuring(render(svg))).toBeGreaterThan(10);
  });

  it('answers each request with its own picture, in order', async () => {
    const { render } = startRenderer();
    const svgs = [5, 1, 3].map(picture);
    const heights = (await Promise.all(svgs.map(render))).map((png) => sizeOf(png).height);
    expect(heights).toEqual(svgs.map((svg) => Number(/height="(\d+)"/.exec(svg)?.[1])));
  });

  it('refuses an invalid or too large picture, and draws the next one', async () => {
    const { render, messages } = startRenderer();
    const huge = '<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>';
    await expect(render('<svg')).rejects.toEqual(refused);
    await expect(render(huge)).rejects.toEqual(refused);
    expect(sizeOf(await render(picture(1))).width).toBe(800);
    expect(messages()).toEqual(['a picture could not be drawn', 'a picture could not be drawn']);
  });

  it('loses only the current picture when its thread dies, and draws the waiting ones', async () => {
    const { render } = startRenderer();
    const starting = nextWorker();
    const [lost, waiting] = [render(picture(1)), render(picture(2))];
    const isRefused = expect(lost).rejects.toEqual(refused);
    await (await starting).terminate();
    await isRefused;
    expect(sizeOf(await waiting).width).toBe(800);
  });

  it('gives up on a picture that takes too long', async () => {
    const error = await startRenderer({ timeoutMs: 1 })
      .render(picture(100))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toEqual(refused);
  });

  it('refuses at once when too many are waiting', async () => {
    const { render } = startRenderer({ waitingMax: 1 });
    const taken = [render(picture(1)), render(picture(1))];
    await expect(render(picture(1))).rejects.toEqual(refused);
    expect((await Promise.all(taken)).map((png) => sizeOf(png).width)).toEqual([800, 800]);
  });

  it('ends an idle thread, and starts another for the next picture', async () => {
    const { render } = startRenderer({ idleMs: 1 });
    const starting = nextWorker();
    const first = render(picture(1));
    const exited = once(await starting, 'exit');
    await first;
    await exited;
    expect(sizeOf(await render(picture(1))).width).toBe(800);
  });

  it('ends its thread when it is closed, and refuses waiting and later pictures', async () => {
    const { render, close } = startRenderer();
    const starting = nextWorker();
    const pending = expect(render(picture(1))).rejects.toEqual(refused);
    const exited = once(await starting, 'exit');
    await close();
    await Promise.all([pending, exited]);
    await expect(render(picture(1))).rejects.toEqual(refused);
  });
});
