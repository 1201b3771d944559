/** What a command is: data, and a function from parsed arguments to an Answer. */
import type { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { mapCooperatively } from '../../../shared/time/cooperative.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Actor, Person } from '../../domain/person.ts';
import type { Need } from '../../domain/role.ts';
import type { WebLinks } from '../../domain/web-links.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Message } from '../../views/blocks/message.ts';
import type { Modal } from '../../views/blocks/modal.ts';
import type { Administration } from '../access/administration.ts';
import type { DigestServices } from '../words/digest/actions.ts';
import type { RunningOperations } from './running-operations.ts';

/** Where an answer is seen unless the person shares it. */
export type Visibility = 'ephemeral' | 'channel';

/** Something that goes up as a file beside a message. */
export type AnswerFile = {
  /** With its ending, such as `logs.txt`. */
  readonly name: string;
  readonly title: string;
  /** What a picture shows, in words. */
  readonly altText?: string;
  /** Made when it is sent; where that fails the message stands without it. */
  readonly content: () => Promise<Uint8Array>;
};

export type MessageAnswer = {
  readonly kind: 'message';
  readonly message: Message;
  readonly visibility: Visibility;
  readonly files?: readonly AnswerFile[];
  /** Whether lines of a log are in it, which some channels may not see. */
  readonly holdsLogs?: true;
  /** Set by the dispatcher where the message belongs into the person's direct messages, whatever its visibility. */
  readonly isDirect?: true;
  /** Set by the dispatcher when the message says why there is no answer: it is not shared, and replaces nothing in a channel. */
  readonly isProblem?: true;
};

export type ThreadReply = {
  /** Names the reply within its thread, for when the thread is written again. */
  readonly name: string;
  readonly message: Message;
  readonly files?: readonly AnswerFile[];
  /** As of a message. */
  readonly holdsLogs?: true;
};

/** A root of one line with its details below, one thread for each subject in a channel. */
export type ThreadAnswer = {
  readonly kind: 'thread';
  /** What the thread is about, an execution's uuid: the same subject asked for again leads to the thread that stands. */
  readonly subject: string;
  /** The root while the replies are on their way. */
  readonly progress: Message;
  readonly root: Message;
  /** In order. */
  readonly replies: readonly ThreadReply[];
  /** False while the subject may still change: asked for again, the thread is then written anew in place. */
  readonly isFinal: boolean;
};

/** A window over Slack; what is submitted in it goes to the form of the command that it names. */
export type ModalAnswer = {
  readonly kind: 'modal';
  readonly view: Modal;
  /** Set by the dispatcher: the command line that opens it again, without anything that was dropped. */
  readonly line?: string;
};

/** What a command gives back; `slack/` carries it out. */
export type Answer = MessageAnswer | ThreadAnswer | ModalAnswer;

/** An answer only the person who asked sees, until they share it. */
export function ephemeral(message: Message): MessageAnswer {
  return { kind: 'message', message, visibility: 'ephemeral' };
}

/** @param text in short pieces, made when the file is sent */
export function textFile(name: string, text: () => Iterable<string>): AnswerFile {
  const content = async () => Buffer.concat(await mapCooperatively(text(), (piece) => Buffer.from(piece)));
  return { name, title: name, content };
}

export type CommandContext = {
  readonly actor: Actor;
  readonly clock: Clock;
  /** The query service, as this actor’s workspace reaches it. @throws AppError `unauthorized` when it has no key */
  readonly ask: () => QueryClient;
  /** Tells the person how far it is, until the answer takes its place: never waits, never fails, leaves out what comes too fast. */
  readonly progress: (message: Message) => void;
  /** Lets the person cancel what takes long. */
  readonly operations: RunningOperations;
  /** The reader's IANA time zone; asks Slack the first time. */
  readonly zone: () => Promise<string>;
  /** A picture of src/bot/views/charts as PNG. @throws AppError `unavailable`: its text stands alone then */
  readonly drawPng: (svg: string) => Promise<Uint8Array>;
  /** Every command, for help. */
  readonly commands: readonly AnyCommand[];
  /** The slash command, such as `/workflow`. */
  readonly slashCommand: string;
  /** Into the platform's own web page. */
  readonly webLinks: WebLinks;
  /** What the admins of the workspace have chosen. */
  readonly settings: () => Promise<WorkspaceSettings>;
  /** How this workspace reaches its query service, for a command that changes that or tells of it. */
  readonly connection: () => Connection;
  /** What admins do: only for a command that needs one. */
  readonly administration: () => Administration;
  /** For a command that needs an operator. */
  readonly digests: () => DigestServices;
};

/** A command's own description of itself: help, "did you mean", the README and the playground are made from it. */
export type CommandDescription = {
  /** The word a person types; the folder's name. */
  readonly name: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** What follows the word, such as `<name> [window]`; empty when nothing does. */
  readonly usage: string;
  /** Command lines that work against the sample organization; a contract test runs each. */
  readonly examples: readonly [string, ...string[]];
  /** Who may run it; whoever may read where left out. */
  readonly needs?: Need;
};

export type Command<Shape extends z.ZodRawShape> = CommandDescription & {
  /** One key an argument: `text` the words, `window` a trailing window, any other a flag (see parse.ts). */
  readonly arguments: z.ZodObject<Shape>;
  readonly run: (parsed: z.output<z.ZodObject<Shape>>, context: CommandContext) => Promise<Answer>;
  /** What its modal submits, and what becomes of that; only for a command whose answer is a modal. */
  readonly form?: AnyForm;
  /** Whether these words are answered by a modal, where not all of them are. */
  readonly opensModal?: OpensModal;
};

export type OpensModal = (words: readonly string[]) => boolean;

/** A command whose arguments are known only to itself. */
export type AnyCommand = CommandDescription & {
  readonly accepts: readonly string[];
  /** @throws AppError `usage`, or what the command's questions throw */
  readonly runWith: (raw: unknown, context: CommandContext) => Promise<Answer>;
  readonly form?: AnyForm;
  readonly opensModal?: OpensModal;
};

/**
 * Declares a command.
 * @returns it with its arguments' types closed in: raw arguments go in, checked ones reach `run`
 */
export function defineCommand<Shape extends z.ZodRawShape>(command: Command<Shape>): AnyCommand {
  const { arguments: schema, run, ...description } = command;
  return {
    ...description,
    accepts: Object.keys(schema.shape),
    runWith: async (raw, context) => {
      const parsed = schema.safeParse(raw);
      if (parsed.success) return run(parsed.data, context);
      const [issue] = parsed.error.issues;
      throw new AppError('usage', issue?.message ?? 'I could not read that.');
    },
  };
}

/** What was filled in, by the id of each input; what was left empty is not there. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

export type FormAnswer =
  /** `form` is what the person goes on with where Slack shows no errors beside inputs any more: without any secret. */
  | { readonly kind: 'errors'; readonly errors: FormErrors; readonly form: Modal }
  | { readonly kind: 'view'; readonly view: Modal }
  /** Over the form, to which closing it leads back; in its place where the person has waited too long for that. */
  | { readonly kind: 'next'; readonly view: Modal }
  /** The message is for the person who submitted, and for nobody else. */
  | { readonly kind: 'close'; readonly message?: Message };

/** What is wrong, in a sentence, by the id of the input. It never repeats what was typed. */
export type FormErrors = Readonly<Record<string, string>>;

/** As for a command line, but a form is submitted in no channel. */
export type FormContext = Omit<CommandContext, 'actor' | 'progress' | 'operations'> & { readonly actor: Person };

type Form<Values extends z.ZodType> = {
  /** One key an input, named as its id; one object for each of several views that a command has. */
  readonly values: Values;
  readonly submit: (values: z.output<Values>, context: FormContext) => Promise<FormAnswer>;
};

/** A form whose values are known only to itself. */
export type AnyForm = {
  /** @returns what is wrong with the values, or how to submit them */
  readonly read: (values: FormValues) => { readonly errors: FormErrors } | { readonly submit: SubmitForm };
};

/** @throws AppError where there is neither an error to show beside an input nor a view */
export type SubmitForm = (context: FormContext) => Promise<FormAnswer>;

/** Declares a form, with its values' types closed in. */
export function defineForm<Values extends z.ZodType>({ values: schema, submit }: Form<Values>): AnyForm {
  return {
    read: (values) => {
      const parsed = schema.safeParse(values);
      if (parsed.success) return { submit: (context) => submit(parsed.data, context) };
      const errors = parsed.error.issues.map(({ path, message }) => [String(path[0]), message] as const);
      return { errors: Object.fromEntries(errors.toReversed()) };
    },
  };
}
