/** Line icons of the page; each accompanies a label. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';

const paths = {
  lock: 'M6.500 9V6.500a3.500 3.500 0 0 1 7 0V9M5 9h10v7.500H5z',
  send: 'M3 3.500 17 10 3 16.500 4.800 10.800 11 10 4.800 9.200z',
  close: 'M5 5l10 10M15 5 5 15',
  menu: 'M3 5.500h14M3 10h14M3 14.500h14',
  reply: 'M4 4.500h12v8.500H9.500L6 16v-3H4zM7 7.500h6M7 10h4',
  eye: 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 12.400a2.400 2.400 0 1 0 0-4.800 2.400 2.400 0 0 0 0 4.800z',
  people:
    'M7.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.500c0-3 2.500-5 5.500-5s5.500 2 5.500 5M13 4a2.800 2.800 0 0 1 0 5.400M15 12c1.800.800 3 2.400 3 4.500',
  download: 'M10 3.500v9M6 9l4 4 4-4M4 16.500h12',
  more: 'M4.500 10h.010M10 10h.010M15.500 10h.010',
  check: 'M4 10.500 8 14.500 16 6',
} as const;

type IconName = keyof typeof paths;

export function icon(name: IconName): VNode {
  return html`<svg class=${`icon icon-${name}`} viewBox="0 0 20 20" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}
