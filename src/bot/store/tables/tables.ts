/** The bot's own tables. The workspace leads every key; times are epoch milliseconds. */
import type { DigestTables } from './digest-tables.ts';
import type { WorkspaceTables } from './workspace-tables.ts';

export type ThreadTable = {
  team_id: string;
  channel_id: string;
  /** What the thread is about: an execution's uuid. */
  subject: string;
  /** Slack's id of the root message; null until it is known to be posted. */
  root_ts: string | null;
  /** 1 when the root is an earlier message, which the bot does not edit. */
  is_anchored: number;
  /** 0 while replies may be missing or the subject may still change; then 1. */
  is_final: number;
  /** When the lease of the process that works on it ends. */
  lease_until: number;
  opened_at: number;
};

export type ThreadReplyTable = {
  team_id: string;
  channel_id: string;
  subject: string;
  /** Which of the replies. */
  name: string;
  ts: string;
};

export type ThreadFileTable = {
  team_id: string;
  channel_id: string;
  subject: string;
  /** Slack's. */
  file_id: string;
  /** The name of the reply under which it belongs. */
  reply: string;
  /** Of the file. */
  name: string;
  /** Of its content; null until it is known to be shared. */
  digest: string | null;
};

export type Tables = WorkspaceTables &
  DigestTables & {
    thread: ThreadTable;
    thread_reply: ThreadReplyTable;
    thread_file: ThreadFileTable;
  };
