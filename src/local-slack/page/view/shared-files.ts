/** The files of a message: images, text previews, and names for everything else. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageSharedFile } from '../protocol.ts';
import { safeImageUrl } from '../text/url.ts';
import { icon } from './icons.ts';

type FileProps = { readonly file: PageSharedFile };

export function drawFiles(files: readonly PageSharedFile[]): readonly VNode[] {
  return files.map((file) => {
    if (file.kind === 'image') return html`<${Picture} key=${file.id} file=${file} />`;
    return html`<${Snippet} key=${file.id} file=${file} />`;
  });
}

/** A picture, which opens in its full size. If its file was evicted, the alternative text remains. */
function Picture({ file }: FileProps): VNode {
  const { title, altText, url } = file;
  const [isGone, setGone] = useState(false);
  const words = altText || title;
  const source = safeImageUrl(url, location.origin);
  if (isGone || source === null) {
    return html`<span class="stand-in" role="img" aria-label=${words}>
      This picture is no longer kept:
      ${words}
    </span>`;
  }
  return html`<figure>
    <figcaption class="soft small">${title} ${drawDownload(file)}</figcaption>
    <a href=${source} target="_blank" rel="noopener noreferrer" aria-label=${`Open ${title} in full size`}>
      <img class="shared-image" src=${source} alt=${words} onError=${() => setGone(true)} />
    </a>
  </figure>`;
}

/** Number of lines that Slack shows of a collapsed snippet. */
const linesAtFirst = 6;

function Snippet({ file }: FileProps): VNode {
  const { title, name, kind, head } = file;
  const [isOpen, setOpen] = useState(false);
  const lines = head.split('\n');
  const shown = isOpen ? lines : lines.slice(0, linesAtFirst);
  const toggle = html`<button type="button" class="snippet-more" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
    ${isOpen ? 'Show less' : `Show more (${countLines(lines.length)})`}
  </button>`;
  return html`<div class="snippet" role="group" aria-label=${`File ${name}`}>
    <div>
      <b>${title}</b>
      <div class="soft small">${factsOf(file)}</div>
    </div>
    ${kind === 'text' && html`<pre class="snippet-text" tabindex="0" aria-label=${`First lines of ${name}`}>${shown.join('\n')}</pre>`}
    <div class="snippet-foot">
      ${lines.length > linesAtFirst && toggle} ${isOpen && drawRest(file, lines.length)} ${drawDownload(file)}
    </div>
  </div>`;
}

/** The rest of the text is in the download. */
function drawRest({ lineCount }: PageSharedFile, shown: number): VNode | false {
  const left = lineCount - shown;
  return left > 0 && html`<span class="soft small">${countLines(left)} more in the file</span>`;
}

function drawDownload({ downloadUrl, name }: PageSharedFile): VNode {
  const source = safeImageUrl(downloadUrl, location.origin) ?? undefined;
  return html`<a class="download" href=${source} download=${name} aria-label=${`Download ${name}`}>${icon('download')} Download</a>`;
}

function factsOf({ name, title, kind, bytes, lineCount }: PageSharedFile): string {
  const facts = [sizeWords(bytes), ...(kind === 'text' ? [countLines(lineCount)] : [])];
  return [...(name === title ? [] : [name]), ...facts].join(' · ');
}

function countLines(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
}

/** @returns for example `12 kB` */
function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`;
}
