/** `npm run bench -- pictures`: one picture from data to PNG by the bot, compared with the library's own encoder for the same SVG. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { createRasteriser } from '../src/bot/rendering/rasterise.ts';
import { PictureRenderer } from '../src/bot/rendering/renderer.ts';
import { timelineSvg } from '../src/bot/views/charts/timeline.ts';
import { drawnTimeline } from '../test/support/drawing/pictures.ts';
import { silent } from './bot/contender.ts';
import { machine, median, table, writeFigures } from './support/figures.ts';

const rounds = 15;
const warmUps = 5;

const timeline = (calls: number) => () =>
  timelineSvg({ title: 'payout-batch', timeline: drawnTimeline({ calls, failed: [calls - 1] }) });
const pictures = [
  { name: 'timeline of 20 steps', svg: timeline(20), aimMs: 40 },
  { name: 'timeline of 50 steps', svg: timeline(50), aimMs: null },
  { name: 'timeline of 100 steps', svg: timeline(100), aimMs: 150 },
] as const;

console.log(`${machine()}; medians of ${rounds} rounds, alternating within each, everything warm.\n`);
const rasterise = createRasteriser();
const firstMs = await timed(() => withRenderer((renderer) => renderer.render(timeline(20)())));
const measured = await withRenderer(async ({ render }) => {
  const results = [];
  for (const picture of pictures) results.push(await measure(picture, render));
  return results;
});

console.log(
  table(
    [
      'Picture',
      'SVG, ms',
      'in the worker, ms',
      'aim, ms',
      'library alone, ms',
      'ours / library',
      'kB',
      'main thread blocked, ms',
    ],
    measured.map((one) => [
      one.name,
      one.svgMs,
      one.oursMs,
      one.aimMs ?? '–',
      one.libraryMs,
      one.oursMs / one.libraryMs,
      one.bytes / 1000,
      one.heldMs,
    ]),
  ),
);
console.log(`\nThe first picture, with the worker's start: ${Math.round(firstMs)} ms.`);
console.log(`Numbers: ${writeFigures('pictures', { rounds, firstMs, pictures: measured })}`);

type Picture = (typeof pictures)[number];

/** “In the worker” is the whole: data to SVG, to the thread, drawn, compressed and back. */
async function measure({ name, svg, aimMs }: Picture, render: (svg: string) => Promise<Uint8Array>) {
  const contenders = {
    svg: async () => svg(),
    ours: () => render(svg()),
    here: () => rasterise(svg()),
    library: () => libraryPng(svg()),
  };
  const times = { svg: [] as number[], ours: [] as number[], here: [] as number[], library: [] as number[] };
  for (let round = -warmUps; round < rounds; round++) {
    for (const contender of ['svg', 'ours', 'here', 'library'] as const) {
      const ms = await timed(contenders[contender]);
      if (round >= 0) times[contender].push(ms);
    }
  }
  return {
    name,
    aimMs,
    svgMs: median(times.svg),
    oursMs: median(times.ours),
    withoutWorkerMs: median(times.here),
    libraryMs: median(times.library),
    bytes: (await render(svg())).length,
    heldMs: await heldWhile(() => render(svg())),
  };
}

/** As its documentation shows: its canvas and encoder, in this thread. */
async function libraryPng(svg: string): Promise<Uint8Array> {
  const image = await loadImage(Buffer.from(svg));
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.encode('png');
}

/** @returns the longest time that this thread was blocked, in ms */
async function heldWhile(act: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await setImmediate();
  delay.enable();
  for (let round = 0; round < rounds; round++) await act();
  delay.disable();
  return delay.max / 1e6;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

async function withRenderer<T>(use: (renderer: PictureRenderer) => Promise<T>): Promise<T> {
  const renderer = new PictureRenderer(silent);
  try {
    return await use(renderer);
  } finally {
    await renderer.close();
  }
}
