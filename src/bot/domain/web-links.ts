/** Links into the platform's own web page, as far as the operator has told how they look. */

export type WebLinks = {
  /** @returns undefined where no link is configured */
  readonly workflow: (workflowUuid: string) => string | undefined;
  /** @param workflowUuid null where it is not known @returns undefined where no link is configured, or it needs what is not known */
  readonly execution: (executionUuid: string, workflowUuid: string | null) => string | undefined;
};

/** Addresses in which `{workflowUuid}` and `{executionUuid}` stand for ids. */
export type WebLinkTemplates = { readonly workflow?: string | undefined; readonly execution?: string | undefined };

export function createWebLinks({ workflow, execution }: WebLinkTemplates = {}): WebLinks {
  return {
    workflow: (workflowUuid) => filled(workflow, { workflowUuid }),
    execution: (executionUuid, workflowUuid) => filled(execution, { executionUuid, workflowUuid }),
  };
}

function filled(
  template: string | undefined,
  ids: { readonly workflowUuid: string | null; readonly executionUuid?: string },
): string | undefined {
  let isWhole = true;
  const url = template?.replace(/\{(workflowUuid|executionUuid)\}/g, (_, name: keyof typeof ids) => {
    isWhole &&= ids[name] != null;
    return encodeURIComponent(ids[name] ?? '');
  });
  return isWhole ? url : undefined;
}
