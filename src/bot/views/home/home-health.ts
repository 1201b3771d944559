/** The health summary of a workspace: the first part of its App Home. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Provenance } from '../../domain/provenance.ts';
import type { Failing, HealthSummary } from '../../insight/health/health-summary.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, commandSelect } from '../blocks/command-button.ts';
import { workflowOptions } from '../blocks/inputs.ts';
import { bold, bulleted, date, emoji, paragraph, plain, rich, several, trusted } from '../blocks/rich-text.ts';
import { count, counted } from '../format/number.ts';
import { missingLine, sourceLine } from '../format/provenance.ts';
import { silenceWords } from '../format/silence.ts';
import { deploymentStatusLabel } from '../format/status-labels.ts';
import { neverRanText } from '../format/time.ts';

type NamedWorkflow = { readonly uuid: string; readonly name: string; readonly status: string };

export type HomeHealthSummary = {
  readonly summary: HealthSummary<NamedWorkflow>;
  /** Number of workflows that may be silent but were not looked up. */
  readonly notLookedInto: number;
  /** True if there were more failures than counted. */
  readonly isCut: boolean;
  /** Null if the service did not name the key's organization. */
  readonly organizationName: string | null;
  readonly provenance: Provenance;
};

export function healthSummaryBlocks(health: HomeHealthSummary, now: number): readonly KnownBlock[] {
  return [
    paragraph(verdict(health)),
    ...failingBlocks(health),
    ...silentBlocks(health),
    ...neverRanBlocks(health, now),
    ...buttonBlocks(health),
    ...otherBlocks(health.summary),
    context([sourceLine(health.provenance, now), ...missingLine(health.provenance)]),
  ];
}

function verdict({ summary: glance, organizationName }: HomeHealthSummary): readonly RichTextElement[] {
  const { failing, silent, neverRan, inactive, fine } = glance;
  const all = failing.length + silent.length + neverRan.length + inactive.length + fine.length;
  const whose = organizationName === null ? [] : rich` of ${bold(organizationName)}`;
  const now = failing.filter(({ isFailingNow }) => isFailingNow).length;
  const earlier = failing.length - now;
  if (all === 0) return rich`${emoji('information_source')} Connected. There are no workflows${whose} yet.`;
  const of = (some: number) => rich`${bold(`${count(some)} of ${counted(all, 'workflow')}`)}${whose}`;
  if (failing.length === 0 && silent.length > 0) {
    return rich`${emoji('warning')} ${of(silent.length)} went silent. Nothing failed in the last 24 hours.`;
  }
  if (failing.length === 0) {
    return rich`${emoji('white_check_mark')} ${bold('Nothing failed in the last 24 hours.')} ${trusted(counted(all, 'workflow'))}${whose}.`;
  }
  const quiet = silent.length > 0 ? rich`; ${trusted(count(silent.length))} went silent` : [];
  if (now === 0) return rich`${emoji('warning')} ${of(earlier)} failed in the last 24 hours${quiet}.`;
  const more = earlier > 0 ? rich`; ${trusted(count(earlier))} more failed in the last 24 hours` : [];
  const are = now === 1 ? rich` is failing` : rich` are failing`;
  return rich`${emoji('x')} ${of(now)}${are}${more}${quiet}.`;
}

/** Number of workflows listed; the rest is counted. */
const failingMax = 12;
const silentMax = 8;
const inactiveMax = 8;
const fineMax = 8;

type FailingWorkflow = Failing<NamedWorkflow>;
type SilentWorkflow = HealthSummary<NamedWorkflow>['silent'][number];

function failingBlocks({ summary: { failing }, isCut }: HomeHealthSummary): readonly KnownBlock[] {
  if (failing.length === 0) return [];
  const shown = failing.slice(0, failingMax);
  const left = failing.length - shown.length;
  const listed = [...Map.groupBy(shown, headingOf)].map(([heading, group]) =>
    bulleted(
      [bold(heading)],
      group.map((one) => failingWords(one, isCut)),
    ),
  );
  return [
    ...listed,
    ...(left > 0 ? [paragraph(rich`and ${trusted(counted(left, 'more workflow'))} that failed`)] : []),
  ];
}

function silentBlocks({ summary: { silent }, notLookedInto }: HomeHealthSummary): readonly KnownBlock[] {
  const shown = silent.slice(0, silentMax);
  const left = silent.length - shown.length;
  return [
    ...(shown.length > 0 ? [bulleted([bold('Silent: the next run is overdue')], shown.map(silentLine))] : []),
    ...(left > 0 ? [paragraph(rich`and ${trusted(counted(left, 'more workflow'))} that went silent`)] : []),
    ...(notLookedInto > 0
      ? [paragraph(rich`${trusted(counted(notLookedInto, 'more workflow'))} may be silent; I did not look into them`)]
      : []),
  ];
}

function neverRanBlocks({ summary: { neverRan } }: HomeHealthSummary, now: number): readonly KnownBlock[] {
  if (neverRan.length === 0) return [];
  const shown = neverRan
    .slice(0, silentMax)
    .map(
      ({ workflow, overdue }) =>
        rich`${bold(workflow.name, 80)}: ${trusted(neverRanText(overdue, now))}, has never run`,
    );
  const left = neverRan.length - shown.length;
  return [
    bulleted([bold('Active, and never ran')], shown),
    ...(left > 0 ? [paragraph(rich`and ${trusted(counted(left, 'more workflow'))} that never ran`)] : []),
  ];
}

function silentLine({ workflow: { name }, silence }: SilentWorkflow) {
  return rich`${bold(name, 80)}: ${silenceWords(silence, date(silence.expectedBy))}`;
}

/** Buttons that lead to the details. */
function buttonBlocks({ summary: { failing, silent, neverRan } }: HomeHealthSummary): readonly KnownBlock[] {
  const shown = [...failing.slice(0, failingMax), ...silent.slice(0, silentMax), ...neverRan.slice(0, silentMax)];
  const options = workflowOptions(
    shown.flatMap(({ workflow }) => (workflow ? [workflow] : [])),
    (uuid) => `status ${uuid}`,
  );
  const buttons = [
    ...(options.length > 0 ? [commandSelect({ placeholder: 'Look into one of them…', mode: 'open', options })] : []),
    ...(failing.length > 0 ? [commandButton({ label: 'All failures by cause', line: 'failures', mode: 'open' })] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

function headingOf({ isFailingNow }: FailingWorkflow): string {
  if (isFailingNow === null) return 'Failed more than an hour ago';
  return isFailingNow
    ? 'Failing now: within the hour, or in the newest run'
    : 'Failed earlier, and have run again since';
}

function failingWords({ name, count: failures, lastAt }: FailingWorkflow, isCut: boolean) {
  const times = isCut ? `at least ${counted(failures, 'failure')}` : counted(failures, 'failure');
  const last = Number.isFinite(lastAt) ? rich`, last ${date(lastAt)}` : [];
  return rich`${bold(name, 80)}: ${trusted(times)}${last}`;
}

function otherBlocks({ inactive, fine }: HealthSummary<NamedWorkflow>): readonly KnownBlock[] {
  const stopped = inactive.map(({ name, status }) => plain(`${name} (${deploymentStatusLabel(status)})`, 80));
  return [
    ...(fine.length > 0
      ? [
          paragraph(
            rich`${bold('Without a failure')}: ${several(
              fine.map(({ name }) => plain(name, 60)),
              fineMax,
            )}`,
          ),
        ]
      : []),
    ...(stopped.length > 0 ? [paragraph(rich`${bold('Not active')}: ${several(stopped, inactiveMax)}`)] : []),
  ];
}
