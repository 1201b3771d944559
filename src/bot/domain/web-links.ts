/** Links to the platform's web page: made from the configured templates, and read by them. */

export type WebLinks = {
  /** @returns undefined if no link is configured */
  readonly workflow: (workflowUuid: string) => string | undefined;
  /** @param workflowUuid null if unknown @returns undefined if no link is configured or the template needs an unknown id */
  readonly execution: (executionUuid: string, workflowUuid: string | null) => string | undefined;
  /** @param url from outside @returns the workflow or execution that it shows; undefined for any other address */
  readonly read: (url: string) => WebTarget | undefined;
};

export type WebTarget = { readonly kind: 'workflow' | 'execution'; readonly uuid: string };

/** URL templates with the placeholders `{workflowUuid}` and `{executionUuid}`. */
export type WebLinkTemplates = { readonly workflow?: string | undefined; readonly execution?: string | undefined };

export function createWebLinks({ workflow, execution }: WebLinkTemplates = {}): WebLinks {
  return {
    workflow: (workflowUuid) => filled(workflow, { workflowUuid }),
    execution: (executionUuid, workflowUuid) => filled(execution, { executionUuid, workflowUuid }),
    read: (url) => {
      // An execution's address often begins with its workflow's.
      const executionUuid = idIn(url, execution, 'executionUuid');
      if (executionUuid !== undefined) return { kind: 'execution', uuid: executionUuid };
      const workflowUuid = idIn(url, workflow, 'workflowUuid');
      return workflowUuid === undefined ? undefined : { kind: 'workflow', uuid: workflowUuid };
    },
  };
}

const placeholder = /\{(workflowUuid|executionUuid)\}/g;

function filled(
  template: string | undefined,
  ids: { readonly workflowUuid: string | null; readonly executionUuid?: string },
): string | undefined {
  let isWhole = true;
  const url = template?.replace(placeholder, (_, name: keyof typeof ids) => {
    isWhole &&= ids[name] != null;
    return encodeURIComponent(ids[name] ?? '');
  });
  return isWhole ? url : undefined;
}

const urlUnitsMax = 3_000;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidUnits = 36;

/** @returns the id in the place of this name, lower case; undefined unless the address has the template's form */
function idIn(posted: string, template: string | undefined, name: string): string | undefined {
  if (template === undefined || posted.length > urlUnitsMax) return undefined;
  const url = withLowerHost(posted);
  // Odd parts are the names of placeholders.
  const parts = withLowerHost(template).split(placeholder);
  let [at, found]: [number, string?] = [0];
  for (const [index, part] of parts.entries()) {
    const text = index % 2 === 0 ? part : url.slice(at, at + uuidUnits);
    if (index % 2 === 0 ? !url.startsWith(part, at) : !uuidPattern.test(text)) return undefined;
    if (index % 2 === 1 && part === name) found = text.toLowerCase();
    at += text.length;
  }
  return /^(?:$|[/?#])/.test(url.slice(at)) ? found : undefined;
}

function withLowerHost(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, (origin) => origin.toLowerCase());
}
