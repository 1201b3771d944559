/** The health of a workspace's workflows: the first part of its App Home. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Provenance } from '../../domain/provenance.ts';
import { byVerdict, type JudgedWorkflow, type Verdict } from '../../insight/health/health.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, commandSelect } from '../blocks/command-button.ts';
import { workflowOptions } from '../blocks/inputs.ts';
import { bold, bulleted, emoji, paragraph, plain, rich, several, trusted } from '../blocks/rich-text.ts';
import {
  failedShare,
  failingSentence,
  healthAdvice,
  recoveryWords,
  silenceAdvice,
  silenceWords,
  unstableSentence,
  verdictEmoji,
  withErrorsEvidence,
} from '../format/health.ts';
import { count, counted } from '../format/number.ts';
import { sourceLines, staleLine } from '../format/provenance.ts';
import { deploymentStatusLabel } from '../format/status-labels.ts';
import { activationText } from '../format/time.ts';

type Judged = JudgedWorkflow<{ readonly uuid: string; readonly name: string; readonly status: string }>;

export type HomeHealthSummary = {
  /** The most urgent first. */
  readonly judged: readonly Judged[];
  /** Number of further workflows, of which the health was not read. */
  readonly notLookedInto: number;
  /** Null if the service did not name the key's organization. */
  readonly organizationName: string | null;
  readonly provenance: Provenance;
};

export function healthSummaryBlocks(health: HomeHealthSummary, now: number): readonly KnownBlock[] {
  const { judged, notLookedInto, provenance } = health;
  const groups = byVerdict(judged);
  return [
    ...staleLine(provenance, now),
    paragraph(headline(health)),
    ...[...groups].flatMap(([verdict, group]) => groupBlocks(verdict, group, now)),
    ...(notLookedInto > 0 ? [paragraph(rich`Not checked: ${trusted(counted(notLookedInto, 'more workflow'))}.`)] : []),
    buttonBlock(judged),
    context(sourceLines(provenance, now)),
  ];
}

/** One sentence: the most urgent verdict with the number of all workflows, then the other urgent ones. */
function headline(summary: HomeHealthSummary): readonly RichTextElement[] {
  const { judged, notLookedInto, organizationName, provenance } = summary;
  const existing = judged.filter((one) => !isDeleted(one));
  const deleted = judged.length - existing.length;
  const all = existing.length + notLookedInto;
  const whose = organizationName === null ? [] : rich` of ${bold(organizationName)}`;
  if (all + deleted === 0 && provenance.missing.length > 0)
    return rich`${emoji('warning')} Connected. The workflows${whose} could not be read.`;
  if (all === 0)
    return rich`${emoji('information_source')} Connected. There are no workflows${whose} ${trusted(deleted === 0 ? 'yet' : 'any more')}.`;
  const groups = byVerdict(existing);
  const urgent = [...groups].flatMap(([verdict, { length }]) => {
    const words = urgentWords[verdict]?.[length === 1 ? 0 : 1];
    return words === undefined ? [] : [{ verdict, length, words }];
  });
  const [first, ...others] = urgent;
  if (first === undefined) {
    const recovered = groups.get('recovered')?.length ?? 0;
    const calm = bold(`No active workflow ${recovered === 0 ? 'failed in the last 24 h' : 'is failing now'}`);
    const earlier = recovered === 0 ? [] : rich`; ${trusted(count(recovered))} failed in the last 24 h and recovered`;
    if (notLookedInto > 0)
      return rich`${emoji('white_circle')} ${calm}${earlier}, of the ${trusted(counted(existing.length, 'workflow'))}${whose} that were checked.`;
    return rich`${emoji('white_check_mark')} ${calm}${earlier}. ${trusted(counted(all, 'workflow'))}${whose}.`;
  }
  const of = bold(`${count(first.length)} of ${counted(all, 'workflow')}`);
  const rest = others.flatMap(({ length, words }) => rich`; ${trusted(`${count(length)} ${words}`)}`);
  const inactive = groups.get('inactive')?.length ?? 0;
  const idle =
    inactive === 0 ? [] : rich`; ${trusted(`${count(inactive)} ${inactive === 1 ? 'is' : 'are'} not active`)}`;
  const gone =
    deleted === 0
      ? []
      : rich` ${trusted(counted(deleted, 'other workflow'))} ${trusted(deleted === 1 ? 'was' : 'were')} deleted.`;
  return rich`${emoji(verdictEmoji(first.verdict))} ${of}${whose} ${trusted(first.words)}${rest}${idle}.${gone}`;
}

/** The verdicts that need attention, in the words of the headline. */
const urgentWords: Readonly<Partial<Record<Verdict, readonly [one: string, several: string]>>> = {
  failing: ['is failing', 'are failing'],
  silent: ['is silent', 'are silent'],
  never_ran: ['never ran', 'never ran'],
  unstable: ['is unstable', 'are unstable'],
  with_errors: ['completed with errors', 'completed with errors'],
  unknown: ['cannot be judged', 'cannot be judged'],
};

/** Number of workflows of one verdict that are listed; the rest is counted. */
const listedMax = 12;
const nameUnitsMax = 80;

const nameOf = ({ workflow }: Judged) => workflow.name;
const isDeleted = ({ workflow }: Judged) => workflow.status === 'DELETED';
const nameAndStatus = ({ workflow: { name, status } }: Judged) => `${name} (${deploymentStatusLabel(status)})`;

/** Since when it fails, why, and what to try. Now, or now and then: all runs of the window may have failed, but not two in a row. */
function failedLine({ health, counts }: Judged): readonly RichTextElement[] {
  const share = counts === null || counts.success + counts.failure === 0 ? [] : rich`${failedShare(counts)}.`;
  const words = health.isFailingNow
    ? rich`${failingSentence(health)} ${share}`
    : rich`${share}${unstableSentence(health)}`;
  const advice = healthAdvice(health);
  return advice.length === 0 ? words : rich`${words}\n${advice}`;
}

function groupBlocks(verdict: Verdict, group: readonly Judged[], now: number): readonly KnownBlock[] {
  const listed = (heading: string, lineOf: (judged: Judged) => readonly RichTextElement[]) => {
    const shown = group.slice(0, listedMax);
    const left = group.length - shown.length;
    const more = left > 0 ? [rich`and ${trusted(counted(left, 'more workflow'))}`] : [];
    const lines = shown.map((judged) => rich`${bold(judged.workflow.name, nameUnitsMax)}: ${lineOf(judged)}`);
    return [bulleted(rich`${emoji(verdictEmoji(verdict))} ${bold(heading)}`, [...lines, ...more])];
  };
  const named = (heading: string, nameOf: (judged: Judged) => string) => {
    const names = group.map((judged) => plain(nameOf(judged), nameUnitsMax));
    return [paragraph(rich`${emoji(verdictEmoji(verdict))} ${bold(heading)}: ${several(names, listedMax)}`)];
  };
  switch (verdict) {
    case 'failing':
      return [...listed('Failing', failedLine), investigateButtonsOf(group)];
    case 'silent':
      return [
        ...listed('Silent, the next run is overdue', ({ health: { silence } }) =>
          silence === null ? [] : silenceWords(silence),
        ),
        paragraph(rich`${bold('What to try:')} ${trusted(silenceAdvice)}`),
      ];
    case 'never_ran':
      return listed('Never ran; schedule not known', ({ health: { neverRan } }) =>
        neverRan ? rich`${trusted(activationText(neverRan, now))}` : [],
      );
    case 'unstable':
      return listed('Unstable, some runs failed', failedLine);
    case 'with_errors':
      return listed('Completed with errors', ({ health }) => rich`${trusted(withErrorsEvidence(health))}`);
    case 'unknown':
      return named('Cannot be judged', nameOf);
    case 'recovered':
      return listed('Recovered', ({ health: { recovery } }) => (recovery === null ? [] : recoveryWords(recovery)));
    case 'healthy':
      return named('Healthy, no failed run in the last 24 h', nameOf);
    case 'quiet':
      return named('Idle, no run in the last 24 h', nameOf);
    case 'inactive':
      return named('Not active or deleted', nameAndStatus);
  }
}

/** Buttons of the failing workflows; the others are in the menu below. */
const investigatedMax = 3;

/** The answer appears in the person's direct messages, as that of every button here. */
function investigateButtonsOf(failing: readonly Judged[]): KnownBlock {
  return actions(
    failing.slice(0, investigatedMax).map(({ workflow: { uuid, name } }, index) =>
      commandButton({
        ...{ label: `Investigate ${name}`, line: `execution ${uuid}`, mode: 'open' },
        ...(index === 0 && { style: 'primary' }),
      }),
    ),
  );
}

/** Choices of the menu. */
const optionsMax = 25;

/** Buttons that lead to the details, and one that reads them again. */
function buttonBlock(judged: readonly Judged[]): KnownBlock {
  const urgent = judged.filter(({ health }) => urgentWords[health.verdict] !== undefined).slice(0, optionsMax);
  const options = workflowOptions(
    urgent.map(({ workflow }) => workflow),
    (uuid) => `status ${uuid}`,
  );
  const hasFailures = judged.some(({ counts }) => (counts?.failure ?? 0) > 0);
  return actions([
    ...(options.length > 0 ? [commandSelect({ placeholder: 'Show the status of…', mode: 'open', options })] : []),
    ...(hasFailures ? [commandButton({ label: 'All failures by cause', line: 'failures', mode: 'open' })] : []),
    commandButton({ label: 'Refresh', line: 'home', mode: 'refresh' }),
  ]);
}
