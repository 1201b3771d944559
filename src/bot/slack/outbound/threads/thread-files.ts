/** Files of a thread: uploads new ones and deletes outdated ones, each recorded before it is visible. */
import { createHash } from 'node:crypto';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { AnswerFile, ThreadReply } from '../../../commands/framework/command.ts';
import type { DeliveryServices } from '../../../outbox/results.ts';
import type { OpenDelivery, PostedFile } from '../../../store/outbox/delivery.ts';
import type { Outbox } from '../../../store/repositories/outbox.ts';
import type { OutboundSlack } from '../outbound-slack.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { describe } from '../web-api/errors.ts';
import type { ReadHistory } from '../web-api/history-reader.ts';

/** A message that carries files and nothing else. */
export type FileMessage = { readonly ts: string; readonly fileIds: readonly string[] };

/** @returns nothing for a message of the bot's own, which has metadata */
export function readFileMessage(message: JsonRecord): readonly FileMessage[] {
  if (!Array.isArray(message['files']) || message['metadata'] !== undefined) return [];
  const fileIds = message['files'].map(readRecord).flatMap((file) => readText(file, 'id') ?? []);
  return [{ ts: readText(message, 'ts') ?? '', fileIds }];
}

/** Slack's clock may be slow. */
const clockSkewMs = 60_000;

export interface ThreadServices {
  readonly slack: OutboundSlack;
  readonly outbox: Outbox;
  readonly poster: DeliveryServices;
  readonly readFiles: ReadHistory<FileMessage>;
}

export class ThreadFiles {
  readonly #services: ThreadServices;
  readonly #thread: OpenDelivery;
  readonly #target: MessageTarget;

  /** @param target below the root */
  constructor(services: ThreadServices, thread: OpenDelivery, target: MessageTarget) {
    this.#services = services;
    this.#thread = thread;
    this.#target = target;
  }

  /** @returns true if the reply's file is uploaded and every outdated file is removed */
  async write({ name, file }: ThreadReply): Promise<boolean> {
    const uploaded = this.#thread.files.filter(({ messageName }) => messageName === name);
    const fileId = file && (await this.#ensure(name, file, uploaded));
    const isMissing = file !== undefined && fileId === undefined;
    // After a failed upload the old file stays.
    const outdated = uploaded.filter((old) => old.fileId !== fileId && !(isMissing && old.contentHash !== null));
    return (await this.#remove(outdated)) && !isMissing;
  }

  /** @param uploaded by an earlier attempt @returns Slack's id of the uploaded file with this content; undefined if there is none */
  async #ensure(messageName: string, file: AnswerFile, uploaded: readonly PostedFile[]): Promise<string | undefined> {
    const { slack, poster } = this.#services;
    const { lease } = this.#thread;
    const content = await file.content().catch((thrown: unknown) => {
      poster.log.warn({ error: describe(thrown) }, 'file could not be made, message is posted without it');
    });
    if (!content) return undefined;
    const contentHash = hashOf(file, content);
    const same = uploaded.find((earlier) => earlier.contentHash === contentHash);
    if (same) return same.fileId;
    const known = { messageName, fileName: file.name };
    let fileId: string | undefined;
    const sent = await slack.posting.upload(this.#target, { ...file, content: async () => content }, async (id) => {
      fileId = id;
      // Stored before the file is visible: after a crash the next attempt removes it.
      await lease.saveFile({ ...known, fileId: id, contentHash: null });
    });
    if (fileId === undefined) return undefined;
    if (sent.kind === 'done') {
      await lease.saveFile({ ...known, fileId, contentHash });
      return fileId;
    }
    await this.#remove([{ fileId }]);
    return undefined;
  }

  /** @returns true if all of them are gone */
  async #remove(files: readonly Pick<PostedFile, 'fileId'>[]): Promise<boolean> {
    if (files.length === 0) return true;
    const { slack, readFiles, poster } = this.#services;
    const target = this.#target;
    // A message that only carried the file would stay with a note that its file was deleted.
    const span = { from: this.#thread.openedAt - clockSkewMs };
    const read = await readFiles({ target, span, waitMsMax: poster.timing.historyWaitMsMax });
    // The next attempt removes them.
    if ('kind' in read && read.kind === 'later') return false;
    const messages = 'kind' in read ? [] : read;
    let isDone = true;
    for (const { fileId } of files) {
      const carrying = messages.find(({ fileIds }) => fileIds.includes(fileId));
      if (carrying) await slack.posting.remove(target, carrying.ts);
      const removed = await slack.posting.removeFile(target, fileId);
      if (removed.kind === 'done') await this.#thread.lease.forgetFile(fileId);
      isDone &&= removed.kind === 'done';
    }
    return isDone;
  }
}

function hashOf({ name, title, altText = '' }: AnswerFile, content: Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([name, title, altText]));
  return hash.update(content).digest('base64url');
}
