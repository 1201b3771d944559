/** File upload and download over HTTP. Headers keep browsers from running a file. */
import type { IncomingMessage } from 'node:http';
import { withFault } from '../server/api-routes.ts';
import { type Answered, type HttpAnswer, readBody, readMultipart, textAnswer } from '../server/http.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import type { Workspace, Workspaces } from '../state/workspace.ts';
import type { StoredFile } from './store.ts';

/** Maximum overhead of a form around its file. */
const formBytesMax = 16_384;

/** `POST /upload/v1/<key>`: the bytes alone, or the first file of a form. */
export async function serveUpload(request: IncomingMessage, key: string, slack: LocalSlack): Promise<Answered> {
  const workspace = slack.workspaces.all.find(({ files }) => files.expected(key));
  const body = await readBody(request, (workspace?.files.expected(key)?.length ?? 0) + formBytesMax);
  const content = await sentFile(body, request.headers['content-type'] ?? '');
  const fields = { bytes: content?.byteLength ?? null };
  const fault = slack.intercept({ name: 'upload', headers: request.headers, fields });
  return withFault(fault, () => receive(workspace, key, content));
}

function receive(workspace: Workspace | undefined, key: string, content: Uint8Array | undefined): HttpAnswer {
  if (!workspace) return textAnswer(404, 'not_found');
  const isWhole = content !== undefined && workspace.files.receive(key, content);
  return isWhole ? textAnswer(200, `OK - ${content.byteLength}`) : textAnswer(400, 'wrong_length');
}

async function sentFile(body: Buffer, contentType: string): Promise<Uint8Array | undefined> {
  if (!/^multipart\/form-data\b/i.test(contentType)) return body;
  const form = await readMultipart(body, contentType);
  const [file] = [...(form?.values() ?? [])].filter((value) => typeof value !== 'string');
  return file && new Uint8Array(await file.arrayBuffer());
}

const filePath = /^\/files-pri\/([A-Z0-9]+)-(F[A-Z0-9]+)\/(download\/)?[^/]*$/;

/** `GET /files-pri/<team>-<file>/…`. @returns undefined for another path */
export function readFileRoute(pathname: string, workspaces: Workspaces): HttpAnswer | undefined {
  const [, teamId, fileId = '', download] = filePath.exec(pathname) ?? [];
  if (teamId === undefined) return undefined;
  const file = workspaces.find(teamId)?.files.find(fileId);
  return file ? fileAnswer(file, download !== undefined) : textAnswer(404, 'file_not_found');
}

/** Only images are shown inline; a text downloads as plain text, whatever its name. */
function fileAnswer({ kind, mimeType, name, content }: StoredFile, isDownload: boolean): HttpAnswer {
  const isInline = kind === 'image' && !isDownload;
  const type = kind === 'text' ? 'text/plain; charset=utf-8' : mimeType;
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-disposition': `${isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeHeader(name)}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=3600',
    },
    body: content,
  };
}

/** Encodes as in RFC 8187, including characters that encodeURIComponent leaves unchanged but a header cannot contain. */
function encodeHeader(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
