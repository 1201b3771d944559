/** The parts that listeners share. */
import { Acknowledgements } from '../middleware/acknowledgement.ts';
import { createTakeLease, type TakeLease } from '../middleware/deduplicate.ts';
import type { InboundServices } from '../services.ts';
import { Answering } from './answering.ts';
import { HomeTab } from './home-tab.ts';

export class Inbound {
  readonly services: InboundServices;
  readonly acknowledgements: Acknowledgements;
  readonly answering: Answering;
  /** Takes the lease of a shared answer or of a submitted form. */
  readonly takeLease: TakeLease;
  readonly homeTab: HomeTab | undefined;

  constructor(services: InboundServices) {
    const { runtime, slack, waitingTimes, shared, homeOf } = services;
    this.services = services;
    this.acknowledgements = new Acknowledgements(runtime, waitingTimes.acknowledgeWithinMs);
    this.answering = new Answering(services);
    this.takeLease = createTakeLease(shared?.leases, runtime);
    this.homeTab = homeOf && new HomeTab(runtime, slack.clients, homeOf);
  }
}
