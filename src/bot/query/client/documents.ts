/** Learns what the service of one workspace accepts: documents with the optional fields or without them, and how many rows at once. */
import { type DocumentNode, Kind, print, visit } from 'graphql';
import type { Clock } from '../../../shared/time/clock.ts';

/** Fields by their type that the contract has and the specification lacks, or has in another form. */
const optionalFields: Readonly<Record<string, readonly string[]>> = {
  OrganizationAccount: ['memberType'],
  Workflow: ['creditUsed'],
  WorkflowDeployment: ['executionCountByStatus'],
  WorkflowExecution: ['detailedStatus', 'workflowUUID'],
};

const allOptional = Object.values(optionalFields).flat();

/** A service may learn the fields, and the refusal may have had another reason. */
const rememberedMs = 60 * 60_000;

/** A refusal may be about a moment: after this time the whole document is sent again. */
const limitKeptMs = 10 * 60_000;

export class ServiceDocuments {
  readonly #clock: Clock;
  readonly #rowLimits = new Map<string, { readonly max: number; readonly until: number }>();
  #fallbackUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  textOf(document: DocumentNode): string {
    return this.#hasOptional() ? fullText(document) : fallbackText(document);
  }

  /** @returns undefined if the document has no optional field, or none of them is sent already */
  fallbackOf(document: DocumentNode): string | undefined {
    const text = fallbackText(document);
    return this.#hasOptional() && text !== fullText(document) ? text : undefined;
  }

  /** The service answered a fallback after it had refused the document. */
  rememberFallback(): void {
    this.#fallbackUntil = this.#clock() + rememberedMs;
  }

  /** The most rows of one document of this operation. */
  rowsMax(operation: string): number {
    const { max, until } = this.#rowLimits.get(operation) ?? { max: Number.POSITIVE_INFINITY, until: 0 };
    return this.#clock() < until ? max : Number.POSITIVE_INFINITY;
  }

  /** The service refused more rows of this operation. */
  limitRows(operation: string, max: number): void {
    this.#rowLimits.set(operation, { max: Math.min(max, this.rowsMax(operation)), until: this.#clock() + limitKeptMs });
  }

  #hasOptional(): boolean {
    return this.#clock() >= this.#fallbackUntil;
  }
}

const fullText = printedOnce((document) => document);
const fallbackText = printedOnce(withoutOptional);

function printedOnce(change: (document: DocumentNode) => DocumentNode): (document: DocumentNode) => string {
  const texts = new WeakMap<DocumentNode, string>();
  return (document) => {
    const text = texts.get(document) ?? print(change(document));
    texts.set(document, text);
    return text;
  };
}

/** The type of a fragment is known. An operation selects none of these fields of another type outside of a fragment. */
export function withoutOptional(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map((definition) => {
    const type = definition.kind === Kind.FRAGMENT_DEFINITION ? definition.typeCondition.name.value : undefined;
    const names = type === undefined ? allOptional : (optionalFields[type] ?? []);
    return visit(definition, { Field: ({ name }) => (names.includes(name.value) ? null : undefined) });
  });
  return { ...document, definitions };
}
