/** Files: an address for the bytes, the bytes, then the message that shows them. */
import type { JsonRecord } from '../../../src/shared/json.ts';
import { addMessage, checkContent, type Method } from './methods.ts';
import { SlackError } from './refusals.ts';
import { app, type Workspace } from './workspace.ts';

type Upload = { readonly name: string; readonly length: number; received: number | undefined; isShared: boolean };

/** https://docs.slack.dev/messaging/working-with-files#uploading_files */
export function createFiles(origin: () => string) {
  const uploads = new Map<string, Upload>();
  const getUploadUrl = ({ filename, length }: JsonRecord, slack: Workspace): JsonRecord => {
    if (Number(length) < 1) throw new SlackError('invalid_arguments');
    const id = `F0${slack.next()}`;
    uploads.set(id, { name: String(filename), length: Number(length), received: undefined, isShared: false });
    return { upload_url: `${origin()}/upload/v1/${id}`, file_id: id };
  };
  const complete = (args: JsonRecord, slack: Workspace): JsonRecord => {
    const list: readonly JsonRecord[] = Array.isArray(args['files']) ? args['files'] : [];
    const files = list.map(({ id, title }) => {
      const upload = uploads.get(String(id));
      if (!upload) throw new SlackError('file_not_found');
      if (upload.received !== upload.length) throw new SlackError('missing_file_data');
      upload.isShared = true;
      return { id, title: title ?? upload.name, name: upload.name, user: app.userId };
    });
    const channel = slack.find(String(args['channel_id']));
    if (args['channel_id'] === undefined) return { files };
    if (!channel) throw new SlackError('channel_not_found');
    if (!channel.isMember) throw new SlackError('not_in_channel');
    const { initial_comment: text, blocks, thread_ts } = args;
    if (blocks !== undefined) checkContent({ blocks }, 0);
    addMessage(slack, { text, blocks, thread_ts }, { channel: channel.id, viewer: undefined, files });
    return { files };
  };
  const remove = ({ file }: JsonRecord): JsonRecord => {
    if (!uploads.delete(String(file))) throw new SlackError('file_not_found');
    return {};
  };
  return {
    /** @returns the status of the answer to the bytes */
    receive: (id: string, bytes: number): number => {
      const upload = uploads.get(id);
      if (!upload || upload.received !== undefined || upload.length !== bytes) return 400;
      upload.received = bytes;
      return 200;
    },
    methods: {
      'files.getUploadURLExternal': { scope: 'files:write', run: getUploadUrl },
      'files.completeUploadExternal': { scope: 'files:write', run: complete },
      'files.delete': { scope: 'files:write', run: remove },
    } satisfies Readonly<Record<string, Method>>,
  };
}
