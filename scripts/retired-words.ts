/** Identifiers and file names that were replaced by the field's words. test/words.test.ts keeps them out of `src`. */
const replaced: Readonly<Record<string, string>> = {
  'outbox, occurrence, message': `Ledger createLedger ledgerKeptMs SlotKey SlotState SlotRow SlotColumns SlotEntry SlotWindow
    NewSlot ClaimedSlot MissedSlot PlannedSlots SweepablePart PartState PartRow PartOutcome PartResult addSlot planSlots slotRow slotText
    slotFields slotTuple deliverSlot deliverPart sendPart sweepPart reconcilePart prepareSlot`,
  'occurrence, message, duplicate check': `SlotTable SlotPartTable PaceTable SeenTable HeldPart holdsLease isBegun slotOf slotsOf
    sweep sweepAt storeSteps recordSteps missingSteps doneSteps couldNotLook`,
  'claim, lease': 'SlotHold createSlotHold ThreadHold createThreadHold SlotClaimOptions holdAlone hold-alone',
  'subscription health, notify user': `Troubles createTroubles KeyTrouble keyTroubleOf Telling createTelling Speaking
    createSpeaking DigestTrouble digestTroubleMessage toldAt noteTold tellOwner`,
  'retry, rate limiter': 'patiently persistently ReadingPace createReadingPace reading-pace createPace',
  'query client, batch': 'Asking AskingOptions manyAtOnce many-at-once keepAskingTime',
  'cache, memoize': 'AtHand createAtHand at-hand rememberKeys rememberedMax rememberedLengthMax forgetOldest',
  'middleware, handler, reply': `Gate createGate Door createDoor Said SaidLine writeSaid Deed page-deeds MessageHands
    SeenDeliveries createSeenDeliveries createSeen`,
  'caller budget, measured reads': 'Asker createAsker askedRecords readAsked',
  'running operations': 'UnderWay createUnderWay underWayOf',
  'stored, segment, field, target': `KeptKey keptKey keptColumns KeptSecretTable keptSecret keptBytes keptBytesMax PartLoader batchParts
    partsToCount countPart PressPlace RichTextPart tellAsSlackbot tellClosed useWaysOut askedNames`,
  'access control': 'Governance createGovernance governance',
  'related commands': 'waysOn ways-on',
  'commands and queries': `holdsLogs mayHoldLogs holdTypedSecret onVerdict tellingVerdicts ToldWait createToldWait told-wait
    patientAsk asAsked askAndKeep keptFor passesAsFresh isEndKept
    notAsked shutOut recentByPerson pauseToldMs spokenChannels passOver readElsewhere
    unseenText editModal planWishes notForThem placeInputs PlaceInputs keptOf wishInputs`,
  'capability call': `ComparedStep NumberedStep KeyedStep FailingStep StepState StepError StepsByKey TimedSteps MissingSteps
    flawedSteps runningSteps stepsByKey stepKey findFailingStep`,
  'channel, notify, connection limit': `noPlaceMessage TellMissingScopes holdersOf heldToken onCrowd crowdSaidMs missTurn
    patienceDefaultMs whileHeld keptAfterLeavingMs askSlack askAnew createAsking`,
  'offered and chosen options': 'Offers createOffers chosenState',
  'sharing block, deadline, in flight': `WithheldWord withheldBy withheldWords audienceAround underWay comesAgain Heard
    Keeper createKeeper forgetting inUtc unshared atOnceMax begunBy`,
  'unconfirmed message, fallback, maybe a fact': `Doubtful doubtfulRange keepOrRepeat LookBack lookBackTo endingTogether
    optionalRead isPassable busyProbe refusesRequests isLeastRefused refused_question`,
};

export const retiredIdentifiers: readonly string[] = Object.values(replaced).flatMap((names) => names.split(/\s+/));
