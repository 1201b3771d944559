/** Every function that reads text from outside, with a call on a long text or, as `lists`, on many short ones. */

import { causeOf, groupByCause, withCause } from '../../../src/bot/insight/causes/cause.ts';
import * as libraries from '../../../src/bot/insight/causes/libraries.ts';
import { normaliseError, titleOf } from '../../../src/bot/insight/causes/normalize-error.ts';
import * as placeholders from '../../../src/bot/insight/causes/placeholders.ts';
import * as plain from '../../../src/bot/insight/causes/plain-text.ts';
import { shortenUrls, withLineBreaks } from '../../../src/bot/insight/causes/plain-text.ts';
import * as quotes from '../../../src/bot/insight/causes/quotes.ts';
import * as segments from '../../../src/bot/insight/causes/segments.ts';
import * as sentences from '../../../src/bot/insight/causes/sentences.ts';
import * as structures from '../../../src/bot/insight/causes/structures.ts';
import * as codes from '../../../src/bot/insight/causes/variables.ts';
import { markVariables } from '../../../src/bot/insight/causes/variables.ts';
import * as vocabulary from '../../../src/bot/insight/causes/vocabulary.ts';
import * as words from '../../../src/bot/insight/causes/words.ts';
import { messageTemplate, withoutOwnValues } from '../../../src/bot/insight/executions/message-template.ts';
import * as rootCauses from '../../../src/bot/insight/executions/root-cause.ts';
import { parseTimestamp } from '../../../src/bot/insight/executions/timeline.ts';
import * as names from '../../../src/bot/insight/name-match.ts';
import { createScrub } from '../../../src/bot/query/client/scrub.ts';
import * as errorTexts from '../../../src/bot/views/format/error-text.ts';
import * as mrkdwn from '../../../src/bot/views/format/mrkdwn.ts';
import * as outside from '../../../src/bot/views/format/outside-text.ts';
import { truncate, truncateMiddle } from '../../../src/bot/views/format/outside-text.ts';
import * as provenanceLines from '../../../src/bot/views/format/provenance.ts';
import * as labels from '../../../src/bot/views/format/status-labels.ts';
import { zonedFields, zonedRange, zonedTime, zoneName } from '../../../src/bot/views/format/time.ts';
import * as redact from '../../../src/shared/redaction/redact.ts';
import * as lists from './reading-lists.ts';
import { readingTyped } from './reading-typed.ts';

type Read = (text: string) => unknown;
/** A string is the reason why there is nothing to read. */
export type Row = string | { readonly text?: Read; readonly list?: Read };

const provenance = (text: string) => ({ source: 'live', asOf: 0, missing: [text] }) as const;
const numbers = 'reads numbers alone';
const ours = 'reads words of our own';

const place = (text: string) => ({ previous: text, before: text, after: text, isRevert: true });
const word = (text: string) => text.split(/\s/)[0] ?? '';
const half = (text: string) => Math.floor(text.length / 2);
/** A needle that nearly matches everywhere in a text that repeats one unit. */
const needle = (text: string) => `\u0001${text.slice(half(text))}`;
const workflow = (name: string) => ({ uuid: '1', name, status: 'ACTIVE' });
const failure = (error: string) => ({
  workflowName: error.slice(0, 80),
  startedAt: '2026-11-20T10:00:00Z',
  classifiedStatus: 'SYSTEM_ERROR',
  errors: [{ error, count: 1 }],
});

/** By file and exported name. */
export const readingFunctions: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'src/shared/redaction/redact.ts': {
    safeText: { text: redact.safeText },
    comparableText: { text: redact.comparableText },
    redact: { text: redact.redact },
    maskedCount: { text: (text) => redact.maskedCount(`${text}[masked`) },
    holdsSecret: { text: redact.holdsSecret },
    sanitizeText: { text: redact.sanitizeText },
    safeBeginning: { text: (text) => redact.safeBeginning(text, 300) },
    safeEnds: { text: (text) => redact.safeEnds(text, 300, 300) },
  },
  ...readingTyped,
  'src/bot/query/client/scrub.ts': {
    createScrub: {
      text: (text) => {
        const scrub = createScrub(text.slice(0, 64));
        return [
          scrub.text(text),
          scrub.parseJson(JSON.stringify([text.slice(half(text)), '\u0001/'])),
          scrub.text(needle(text)),
        ];
      },
      list: (text) => createScrub('wfq_a+b/c').parseJson(JSON.stringify([...lists.itemsOf(text), '\\/'])),
    },
  },
  'src/bot/insight/causes/cause.ts': {
    causeOf: { text: (text) => causeOf(failure(text)), list: lists.errorsOfOne },
    withCause: 'calls causeOf',
    readCauses: 'calls causeOf for each',

    isOfPlatform: ours,
    groupByCause: { text: (text) => groupByCause([withCause(failure(text))]), list: lists.groups },
    withAges: { list: lists.ages },
  },
  'src/bot/insight/causes/recurrence.ts': {
    ageOf: ours,
    ageInAll: ours,
    earlierCauses: ours,
  },
  'src/bot/insight/causes/normalize-error.ts': {
    titleOf: {
      text: (text) => {
        const read = segments.segmentsOf(text);
        return titleOf(read, read.length >> 1);
      },
    },
    createReadings: 'reads nothing',
    normaliseError: { text: (text) => normaliseError(text, 8_000) },
  },
  'src/bot/insight/causes/segments.ts': {
    segmentsOf: { text: segments.segmentsOf },
    withoutAsides: { text: segments.withoutAsides },
  },
  'src/bot/insight/causes/sentences.ts': {
    isAdvice: { text: sentences.isAdvice },
    withoutAdvice: { text: sentences.withoutAdvice },
  },
  'src/bot/insight/causes/words.ts': {
    wordsOf: { text: words.wordsOf },
    weightOf: { text: words.weightOf },
    weightOfText: { text: words.weightOfText },
    nameParts: { text: words.nameParts },
    singular: { text: words.singular },
  },
  'src/bot/insight/causes/vocabulary.ts': {
    isCodeKey: { text: vocabulary.isCodeKey },
    isMessageKey: { text: vocabulary.isMessageKey },
    squashed: { text: vocabulary.squashed },
  },
  'src/bot/insight/causes/plain-text.ts': {
    withLineBreaks: { text: withLineBreaks },
    plainText: { text: (text) => plain.plainText(text, text.length) },
    bothEnds: { text: (text) => plain.bothEnds(text, half(text) / 2, half(text)) },
    shortenUrls: { text: shortenUrls },
  },
  'src/bot/insight/causes/structures.ts': {
    readStructures: { text: structures.readStructures },
    isErrorData: { text: structures.isErrorData },
    readXml: { text: structures.readXml },
  },
  'src/bot/insight/causes/libraries.ts': {
    readLibraries: { text: libraries.readLibraries },
    decodeReverts: { text: libraries.decodeReverts },
  },
  'src/bot/insight/causes/placeholders.ts': {
    markedName: { text: (text) => placeholders.markedName(text) },
    isPlaceholder: { text: placeholders.isPlaceholder },
    withPlaceholders: { text: placeholders.withPlaceholders },
    namedPlaceholders: { text: placeholders.namedPlaceholders },
    withoutPlaceholders: { text: placeholders.withoutPlaceholders },
  },
  'src/bot/insight/causes/quotes.ts': {
    readQuotes: { text: (text) => quotes.readQuotes(text) },
  },
  'src/bot/insight/causes/variables.ts': {
    markVariables: { text: markVariables },
    isSelector: { text: (text) => codes.isSelector(text, place(text)) },
    isNumberCode: { text: (text) => [codes.isNumberCode(text, place(text)), codes.isNumberCode('404', place(text))] },
    isWordCode: { text: (text) => [codes.isWordCode(text, place(text)), codes.isWordCode('a404', place(text))] },
    isLabelled: { text: (text) => codes.isLabelled(word(text)) },
  },
  'src/bot/insight/name-match.ts': {
    namesWithin: {
      text: (text) => [names.namesWithin(text, [workflow('pay')]), names.namesWithin('pay', [workflow(text)])],
    },
    matchName: {
      text: (text) => [
        names.matchName(text, [workflow(text)]),
        names.matchName(needle(text), [workflow(text)]),
        names.matchName('pay', [workflow(text)]),
      ],
      list: (text) => names.matchName('pay', lists.itemsOf(text).map(workflow)),
    },
    completeName: {
      text: (text) => [names.completeName(text, [workflow(text)]), names.completeName(needle(text), [workflow(text)])],
      list: (text) => names.completeName('pay', lists.itemsOf(text).map(workflow)),
    },
    nameAmong: {
      text: (text) => names.nameAmong([text, 'pay'], [workflow(text), workflow('pay')]),
      list: (text) => names.nameAmong(lists.itemsOf(text), [workflow('pay')]),
    },
    isMisspelling: { text: (text) => names.isMisspelling(text, needle(text)) },
    isSameName: { text: (text) => names.isSameName(text, needle(text)) },
    editDistance: { text: (text) => names.editDistance(text, needle(text)) },
  },
  'src/bot/insight/executions/message-template.ts': {
    messageTemplate: { text: messageTemplate },
    withoutOwnValues: { text: withoutOwnValues },
  },
  'src/bot/insight/executions/failing-call.ts': {
    findFailingCall: { text: lists.failingCallOf, list: lists.failingCallAmong },
  },
  'src/bot/insight/executions/result.ts': {
    isCompletedWithErrors: ours,
    hasEnded: ours,
    countWithErrors: numbers,
  },
  'src/bot/insight/executions/timeline.ts': {
    timeFrameOf: { list: lists.timeFrame },
    parseTimestamp: { text: parseTimestamp },
    timelineOf: { text: lists.timelineOfText, list: lists.timeline },
    criticalChain: { list: lists.chain },
    uncovered: { list: lists.uncovered },
  },
  'src/bot/insight/executions/comparison.ts': {
    compareWithGood: { text: lists.comparisonOfText, list: lists.comparison },
    callsByKey: { list: lists.callsByKeyOf },
    callKey: { text: (text) => lists.callKeyOf(text) },
    mergeOrder: { list: lists.mergedOrder },
    createUsualDurations: { list: lists.usualDurations },
  },
  'src/bot/insight/executions/consensus.ts': {
    consensusOf: { text: lists.consensusOfText, list: lists.consensus },
  },
  'src/bot/insight/executions/root-cause.ts': {
    findRootCause: { text: lists.rootCauseOfText, list: lists.rootCause },
    mayHaveRootCause: { text: (text) => rootCauses.mayHaveRootCause([{ error: text, count: 1 }]) },
  },
  'src/bot/insight/executions/merge-node-logs.ts': {
    mergeNodeLogs: { text: lists.overlayOfText, list: lists.overlaid },
    clockOffsets: { list: lists.offsets },
  },
  'src/bot/insight/health/deployment-states.ts': {
    isRejected: ours,
    tookEffect: ours,
    broughtOnlyFailures: ours,
    withStates: { list: lists.deploymentStates },
  },
  'src/bot/insight/health/health.ts': {
    byUrgency: { list: lists.urgent },
    byVerdict: { list: lists.grouped },
    trendOf: numbers,
    areOver: numbers,
    isInactive: ours,
    isUsual: numbers,
    judgeHealth: { list: lists.health },
    failuresInARow: { list: lists.failuresInARow },
  },
  'src/bot/insight/health/schedule.ts': {
    learnSchedule: { list: lists.schedule },
    overdueAt: { list: lists.overdue },
    isOverdue: { list: lists.overdue },
  },
  'src/bot/insight/health/silence.ts': {
    maybeSilent: { list: lists.maybeSilent },
    overdueFactor: numbers,
    meanGapOf: numbers,
    isGapUnusual: numbers,
    isWithoutRuns: ours,
    neverRan: { list: lists.neverRanOf },
    earlierPeriods: numbers,
    knownRuns: { list: lists.knownRuns },
    lifePeriod: numbers,
    isYoung: numbers,
    silenceOf: { list: lists.silence },
  },
  'src/bot/insight/statistics.ts': {
    isClearlyHigher: numbers,
    withRuns: numbers,
    median: { list: lists.middle },
    sum: { list: lists.total },
    failureRate: numbers,
    logChanceOfMore: numbers,
    chanceOfAtLeast: numbers,
  },
  'src/bot/insight/health/deployment-blame.ts': {
    findBlame: { list: lists.blame },
  },
  'src/bot/insight/health/onset.ts': {
    firstInstants: numbers,
    binsOf: { list: lists.blame },
    onsetIn: { list: lists.blame },
    nextQuestion: { list: lists.blame },
    sumsOf: numbers,
    signedGain: numbers,
    stretchesOf: numbers,
  },
  'src/bot/insight/digest/tally.ts': {
    createTally: { list: lists.tally },
  },
  'src/bot/insight/digest/causes.ts': {
    judgeCauses: { list: lists.judged },
    goneCauses: { list: lists.gone },
    failingWorkflows: { list: lists.failing },
  },
  'src/bot/insight/digest/incident.ts': {
    incidentOf: { list: lists.incidents },
    mayBeIncident: ours,
    judgeMeeting: numbers,
    runRatesOf: ours,
  },
  'src/bot/insight/digest/reconcile.ts': {
    reconcile: { list: lists.reconciled },
    countsWithin: { list: lists.counted },
  },
  'src/bot/views/format/outside-text.ts': {
    truncate: { text: (text) => [truncate(text, 300), truncate(text, half(text))] },
    truncateAtWord: { text: (text) => [outside.truncateAtWord(text, 300), outside.truncateAtWord(text, half(text))] },
    truncateMiddle: { text: (text) => [truncateMiddle(text, 300), truncateMiddle(text, half(text))] },
    shortExecutionId: { text: (text) => outside.shortExecutionId({ id: text, uuid: text }) },
    outsideLine: { text: (text) => [outside.outsideLine(text, 300), outside.outsideLine(text, half(text))] },
    oneLine: { text: outside.oneLine },
    outsideError: { text: (text) => [outside.outsideError(text, 300), outside.outsideError(text, half(text))] },
  },
  'src/bot/views/format/mrkdwn.ts': {
    markup: { text: (text) => mrkdwn.markup`${text} failed` },
    escapeEntities: { text: mrkdwn.escapeEntities },
    literalLine: { text: mrkdwn.literalLine },
  },
  'src/bot/views/format/time.ts': {
    zonedFields: { text: (text) => zonedFields(0, text) },
    zoneName: { text: zoneName },
    zonedTime: { text: (text) => zonedTime(0, text) },
    zonedRange: { text: (text) => zonedRange(0, 1, text) },
    dateToken: numbers,
    dateFallback: numbers,
    duration: numbers,
    activationText: numbers,
    preciseDuration: numbers,
  },
  'src/bot/domain/percent.ts': {
    percent: numbers,
  },
  'src/bot/views/format/number.ts': {
    count: numbers,
    counted: ours,
    allOf: ours,
    runCountText: numbers,
  },
  'src/bot/views/format/cause-age.ts': { ageWords: numbers, ageCounts: numbers, newNote: numbers },
  'src/bot/views/format/error-text.ts': {
    errorText: { text: (text) => errorTexts.errorText(text, 200) },
    causeText: { text: (text) => errorTexts.causeText([{ error: text }], text, 200) },
    causeBeginning: 'calls causeText',
    otherErrorText: 'calls causeText',
    rootCauseWords: 'calls errorText',
    rootCauseLines: 'calls errorText',
  },
  'src/bot/views/format/health.ts': {
    silenceWords: numbers,
    trendLine: numbers,
    verdictEmoji: ours,
    verdictLabel: 'calls deploymentStatusLabel',
    failingWords: numbers,
    failingSentence: 'calls causeText',
    failingLines: 'calls causeText',
    rollBackTarget: numbers,
    recoveryWords: numbers,
    withErrorsEvidence: numbers,
    nowLines: 'calls causeText',
    unstableSentence: 'calls causeText',
    failedShare: numbers,
    healthAdvice: numbers,
  },
  'src/bot/views/format/provenance.ts': {
    staleLine: ours,
    unreadWindow: 'calls windowText',
    orNotKept: ours,
    sourceLines: {
      text: (text) => provenanceLines.sourceLines(provenance(text), 0),
      list: (text) => provenanceLines.sourceLines({ ...provenance(''), missing: lists.itemsOf(text) }, 0),
    },
    spanText: { text: provenanceLines.spanText },
    windowText: { text: (text) => provenanceLines.windowText({ from: 0, to: 1, label: text, isMoving: true }) },
    windowLine: {
      text: (text) =>
        provenanceLines.windowLine({
          window: { from: 0, to: 1, label: text, isMoving: true },
          provenance: provenance(''),
          now: 1,
        }),
    },
  },
  'src/bot/views/format/status-labels.ts': {
    deploymentStatusLabel: { text: labels.deploymentStatusLabel },
    deploymentActionLabel: { text: labels.deploymentActionLabel },
    deploymentEmoji: { text: (text) => labels.deploymentEmoji(text, null, null) },
    executionStatusLabel: { text: labels.executionStatusLabel },
    executionStatusEmoji: { text: labels.executionStatusEmoji },
    executionResultLabel: 'calls executionStatusLabel',
    withErrorsText: numbers,
    executionResultEmoji: 'calls executionStatusEmoji',
    faultLabel: { text: labels.faultLabel },
    accountLabel: { text: labels.accountLabel },
  },
};
