/** Whether what a record belongs to is there: in the records, or on a line before it. */
import type { Records } from '../records/port.ts';
import type { TypedRecord } from '../records/record.ts';
import type { RefusedLine } from './refused-lines.ts';

export type NumberedRecord = { readonly number: number; readonly typed: TypedRecord };

export type Checked = { readonly accepted: readonly TypedRecord[]; readonly missing: readonly RefusedLine[] };

/** An organization, or one of its workflows. */
type Owner = { readonly organizationId: string; readonly workflowUuid: string | null };

/** More are forgotten, and asked for again. */
const knownMax = 50_000;

/** @param records what was written before; asked once for each organization and workflow */
export function createReferences(records: Pick<Records, 'organization' | 'hasWorkflow'>) {
  const known = new Set<string>();
  const isKept = async ({ organizationId, workflowUuid }: Owner) =>
    workflowUuid === null
      ? (await records.organization(organizationId)) !== null
      : records.hasWorkflow(organizationId, workflowUuid);
  return {
    /** @param lines in order, none of which is written yet */
    async check(lines: readonly NumberedRecord[]): Promise<Checked> {
      if (known.size > knownMax) known.clear();
      const absent = new Set<string>();
      const accepted: TypedRecord[] = [];
      const missing: RefusedLine[] = [];
      for (const { number, typed } of lines) {
        const owner = ownerOf(typed);
        if (owner !== null) {
          const key = keyOf(owner);
          if (!known.has(key) && !absent.has(key)) ((await isKept(owner)) ? known : absent).add(key);
          if (!known.has(key)) {
            missing.push({ number, reason: reasonOf(owner) });
            continue;
          }
        }
        const owned = asOwner(typed);
        if (owned !== null) known.add(keyOf(owned));
        accepted.push(typed);
      }
      return { accepted, missing };
    },
  };
}

function ownerOf({ type, record }: TypedRecord): Owner | null {
  const { organizationId } = record;
  switch (type) {
    case 'organization':
      return null;
    case 'account':
    case 'workflow':
      return { organizationId, workflowUuid: null };
    case 'deployment':
    case 'execution':
      return { organizationId, workflowUuid: record.workflowUuid };
  }
}

/** What lines after it may belong to. */
function asOwner({ type, record }: TypedRecord): Owner | null {
  if (type === 'organization') return { organizationId: record.organizationId, workflowUuid: null };
  return type === 'workflow' ? { organizationId: record.organizationId, workflowUuid: record.uuid } : null;
}

function keyOf({ organizationId, workflowUuid }: Owner): string {
  return workflowUuid === null ? organizationId : `${organizationId}\n${workflowUuid}`;
}

function reasonOf({ organizationId, workflowUuid }: Owner): string {
  return workflowUuid === null
    ? `the organization ${organizationId} is not known: its line comes first`
    : `the workflow ${workflowUuid} is not known in ${organizationId}: its line comes first`;
}
