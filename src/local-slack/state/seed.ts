/** People and channels of a new workspace: five members and a guest, each in another time zone. */
import { hash } from 'node:crypto';
import type { PageChannel, PageUser } from '../page/protocol.ts';
import { slackId } from './ids.ts';

export type Person = Omit<PageUser, 'isExternal'> & {
  readonly isOwner: boolean;
  readonly isDeleted: boolean;
  /** The home workspace, which in an organization need not be the one in which the person acts. */
  readonly homeTeamId: string;
  /** The domain of the company whose workspace is not played here. */
  readonly company?: string;
};
export type Channel = PageChannel;

export type Seed = {
  readonly teamId: string;
  readonly name: string;
  readonly domain: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly people: readonly Person[];
  readonly channels: readonly Channel[];
};

/** Team id of the other company. */
export const otherTeamId = 'T0OTHERCO';

const names = ['general', 'ops-alerts', 'payments', 'random', 'incident-room', 'old-alerts'] as const;
type ChannelName = (typeof names)[number];

const humans = [
  { name: 'ada', realName: 'Ada Okafor', isAdmin: true, timeZone: 'Europe/Berlin' },
  { name: 'ben', realName: 'Ben Carter', isAdmin: false, timeZone: 'America/New_York' },
  { name: 'chiyo', realName: 'Chiyo Tanaka', isAdmin: false, timeZone: 'Asia/Tokyo' },
  { name: 'dev', realName: 'Dev Patel', isAdmin: false, timeZone: 'Asia/Kolkata' },
  { name: 'eva', realName: 'Eva Lindqvist', isAdmin: false, timeZone: 'America/Los_Angeles' },
  { name: 'fay', realName: 'Fay Moreau', isAdmin: false, timeZone: 'Europe/Paris' },
] as const;
/** A guest in some channels. */
const guestName = 'fay';
type HumanName = (typeof humans)[number]['name'];

/** @param number 1 for the first workspace */
export function personId(name: HumanName, number = 1): string {
  return slackId('U', number, name);
}

export function channelId(name: ChannelName, number = 1): string {
  return slackId('C', number, name);
}

/** The direct messages of one person with the bot. */
export function directId(name: HumanName, number = 1): string {
  return slackId('D', number, name);
}

/**
 * @param number 1 for the first workspace
 * @param botNumber of the workspace that gives the bot its ids: an organization has one bot user for all its workspaces
 * @returns the same people and channels for every number, under other ids
 */
export function seedWorkspace(number: number, botNumber = number): Seed {
  const [teamId, botUserId] = [slackId('T', number, 'local'), slackId('U', botNumber, 'workflow')];
  const people = humans.map((human) => ({
    ...human,
    ...{ id: personId(human.name, number), isOwner: human.isAdmin, isBot: false, isDeleted: false },
    guest: human.name === guestName ? ('multi_channel' as const) : null,
    homeTeamId: teamId,
  }));
  const bot = {
    id: botUserId,
    name: 'workflow-bot',
    realName: 'Workflow Bot',
    isAdmin: false,
    isBot: true,
    guest: null,
  };
  const domain = number === 1 ? 'local-slack' : `local-slack-${number}`;
  return {
    teamId,
    name: number === 1 ? 'Local Slack' : `Local Slack ${number}`,
    domain,
    botUserId,
    botId: slackId('B', botNumber, 'workflow'),
    people: [...people, { ...bot, isOwner: false, isDeleted: false, timeZone: 'Etc/UTC', homeTeamId: teamId }],
    channels: [...seedChannels(number, botUserId), ...directs(number, botUserId)],
  };
}

function seedChannels(number: number, botUserId: string): readonly Channel[] {
  const everyone = humans.map((human) => personId(human.name, number));
  const some = (...chosen: HumanName[]) => chosen.map((name) => personId(name, number));
  const channel = (name: ChannelName, memberIds: readonly string[], kind: 'public' | 'private' = 'public') => ({
    id: channelId(name, number),
    name,
    kind,
    memberIds,
    isArchived: name === 'old-alerts',
    isShared: false,
  });
  return [
    channel('general', [...everyone, botUserId]),
    channel('ops-alerts', [...everyone, botUserId]),
    channel('payments', [...some('ada', 'ben', 'dev', 'eva'), botUserId]),
    channel('random', some('ada', 'ben', 'chiyo', 'dev', 'eva')),
    channel('incident-room', some('ada', 'chiyo'), 'private'),
    channel('old-alerts', [...everyone, botUserId]),
  ];
}

function directs(number: number, botUserId: string): readonly Channel[] {
  return humans.map(({ name }) =>
    directChannelOf({ id: directId(name, number), name, memberIds: [personId(name, number), botUserId] }),
  );
}

/** The direct messages with the bot of a person whose home is another workspace. @param number of this workspace */
export function visitorsDirect(number: number, { id, name }: Pick<Person, 'id' | 'name'>, botUserId: string): Channel {
  return directChannelOf({ id: slackId('D', number, `g${name}`), name, memberIds: [id, botUserId] });
}

/**
 * A person of a company whose workspace is not played here.
 * @param address such as `rob.hale@partner.example`
 * @returns the same person for an address and a workspace each time
 */
export function visitorOf(address: string, teamId: string): Person {
  const [name = '', company = ''] = address.toLowerCase().slice(0, addressUnitsMax).split('@');
  const words = name.split(/[^a-z0-9]+/).filter(Boolean);
  return {
    id: `U${hash('sha256', `${teamId} ${name}@${company}`).slice(0, 10).toUpperCase()}`,
    name,
    realName: words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || name,
    ...{ isAdmin: false, isOwner: false, isBot: false, isDeleted: false, guest: null },
    timeZone: 'Europe/London',
    homeTeamId: otherTeamId,
    company,
  };
}

const addressUnitsMax = 100;

function directChannelOf(channel: Pick<Channel, 'id' | 'memberIds' | 'name'>): Channel {
  return { ...channel, kind: 'dm', isArchived: false, isShared: false };
}
