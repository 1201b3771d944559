/** Text objects: mrkdwn and plain_text. */
import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import type { Viewer } from '../model/viewer.ts';
import { drawBlocks, drawInline } from '../text/draw.ts';
import { parseMrkdwn, parsePlainText } from '../text/mrkdwn.ts';

/** A message's text: Slack links addresses in it, but not typed names. */
export function drawMessageText(text: string, viewer: Viewer): readonly VNode[] {
  const rules = { hasFormatting: true, hasEmoji: true, linksUrls: true, linksNames: false };
  return drawBlocks(parseMrkdwn(text, rules), viewer);
}

/** @returns paragraphs, quotes and code as blocks */
export function drawText(text: MrkdwnElement | PlainTextElement, viewer: Viewer): readonly VNode[] {
  if (text.type === 'plain_text') return [html`<div class="paragraph">${drawPlain(text, viewer)}</div>`];
  const isLoose = text.verbatim !== true;
  const rules = { hasFormatting: true, hasEmoji: true, linksUrls: isLoose, linksNames: isLoose };
  return drawBlocks(parseMrkdwn(text.text, rules), viewer);
}

/** The text of a button, a heading or an option: one line, with emoji unless disabled. */
export function drawPlain(text: PlainTextElement, viewer: Viewer): readonly ComponentChildren[] {
  return drawInline(parsePlainText(text.text, text.emoji !== false), viewer);
}
