/** Text objects: mrkdwn and plain_text. */
import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import type { Viewer } from '../model/viewer.ts';
import { drawBlocks, drawInline } from '../text/draw.ts';
import { parseMrkdwn, parsePlainText } from '../text/mrkdwn.ts';

/** A message's text: Slack links the addresses in it. */
export function drawMessageText(text: string, viewer: Viewer): readonly VNode[] {
  return drawBlocks(parseMrkdwn(text, { linksUrls: true }), viewer);
}

/** @returns paragraphs, quotes and code as blocks */
export function drawText(text: MrkdwnElement | PlainTextElement, viewer: Viewer): readonly VNode[] {
  if (text.type === 'plain_text') return [html`<div class="paragraph">${drawPlain(text, viewer)}</div>`];
  return drawBlocks(parseMrkdwn(text.text, { linksUrls: text.verbatim !== true }), viewer);
}

/** The text of a button, a heading or an option: one line, with emoji unless disabled. */
export function drawPlain(text: PlainTextElement, viewer: Viewer): readonly ComponentChildren[] {
  return drawInline(parsePlainText(text.text, text.emoji !== false), viewer);
}
