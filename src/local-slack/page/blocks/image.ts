/** Images: loads only those of the page's own origin and those inside the message, so that no third party learns of a view. */
import type { ImageBlock, ImageElement } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { safeImageUrl } from '../text/url.ts';
import type { Scope } from './scope.ts';
import { drawPlain } from './text-object.ts';

type Picture = ImageBlock | ImageElement;

export function drawImageBlock(block: ImageBlock, scope: Scope): VNode {
  const title = block.title && html`<div class="image-title">${drawPlain(block.title, scope.viewer)}</div>`;
  return html`<figure class="image-block">${title}${drawPicture(block, scope, 'image-large')}</figure>`;
}

/** @param size CSS class that sets the largest size */
export function drawPicture(picture: Picture, { viewer }: Scope, size: string): VNode {
  const address = addressOf(picture);
  const url = address === undefined ? null : safeImageUrl(address, viewer.origin);
  if (url !== null) return html`<img class=${size} src=${url} alt=${picture.alt_text} />`;
  const reason = address === undefined ? 'a file of Slack' : 'from elsewhere, not loaded';
  return html`<span class=${`${size} image-missing`} role="img" aria-label=${picture.alt_text} title=${address}>
    <span class="image-missing-label">Picture ${reason}</span>
    <span class="image-missing-alt">${picture.alt_text}</span>
  </span>`;
}

function addressOf(picture: Picture): string | undefined {
  if ('image_url' in picture) return picture.image_url;
  return 'url' in picture.slack_file ? picture.slack_file.url : undefined;
}
