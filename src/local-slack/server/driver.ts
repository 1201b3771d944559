/** Drives the local Slack from a program: acts as people, observes what they see, and controls the app's connection. */
import { performAction } from '../interactions/block-actions.ts';
import { suggestOptions } from '../interactions/block-suggestions.ts';
import { deleteChannel, setShared } from '../interactions/channels.ts';
import { closeView } from '../interactions/close-view.ts';
import { runCommand } from '../interactions/commands.ts';
import { findActor } from '../interactions/invoke.ts';
import { deleteMessage, postUserMessage } from '../interactions/messages.ts';
import { openDetails } from '../interactions/open-details.ts';
import { openHome } from '../interactions/open-home.ts';
import { runShortcut } from '../interactions/shortcuts.ts';
import { submitView } from '../interactions/submit-view.ts';
import { answer } from '../oauth/routes.ts';
import { manifestScopes, visibleMessages } from '../state/workspace.ts';
import type { Delivery } from './delivery.ts';
import type { LocalSlack } from './local-slack.ts';
import type { RouteDeps } from './routes.ts';
import { nextMessage, nextView } from './wait-for.ts';

type Ending = Pick<LocalSlack, 'storageProblem'> & { readonly stop: () => Promise<void> };

/** @param ending `stop` ends the server and closes its storage */
export function createDriver(deps: RouteDeps, ending: Ending): LocalSlack {
  const { first } = deps;
  return {
    url: deps.baseUrl(),
    storageProblem: ending.storageProblem,
    apiUrl: `${deps.baseUrl()}/api/`,
    botToken: first.botToken,
    appToken: deps.appToken,
    workspace: first,
    clientId: deps.oauth.clientId,
    clientSecret: deps.oauth.clientSecret,
    ...userActions(deps),
    ...observations(deps),
    ...installations(deps),
    ...organizations(deps),
    workspaces: deps.workspaces,
    useWorkspace: (teamId) => {
      const other = deps.workspaces().find((each) => each.teamId === teamId);
      if (!other) throw new Error(`There is no workspace ${teamId}.`);
      return createDriver({ ...deps, first: other }, ending);
    },
    ...connections(deps),
    requests: deps.requests,
    close: async () => {
      deps.appEvents.close();
      deps.socketMode.close();
      deps.delivery.close();
      await ending.stop();
    },
  };
}

/** Actions of people. */
function userActions(deps: RouteDeps) {
  return {
    command: (typed) => runCommand(typed, deps),
    say: (typed) => postUserMessage(typed, deps),
    deleteMessage: (deleted) => deleteMessage(deleted, deps),
    press: (worked) => performAction(worked, deps),
    suggest: (query) => suggestOptions(query, deps),
    shortcut: (picked) => runShortcut(picked, deps),
    submit: (submitted) => submitView(submitted, deps),
    closeView: (closed) => closeView(closed, deps),
    openDetails: (opening) => openDetails(opening, deps),
    openHome: (opened) => openHome(opened, deps),
  } satisfies Partial<LocalSlack>;
}

/** Views of people. */
function observations({ workspaces }: RouteDeps) {
  return {
    modals: (user) => workspaces().flatMap(({ views }) => views.stack(user)),
    home: (user) =>
      workspaces()
        .map(({ views }) => views.home(user))
        .find(Boolean),
    nextView: (filter = {}) => nextView(workspaces(), filter),
    messages: ({ channel, viewer }) => workspaces().flatMap((each) => visibleMessages(each, channel, viewer)),
    nextMessage: (filter = {}) => nextMessage(workspaces(), filter),
  } satisfies Partial<LocalSlack>;
}

/** Workspaces and installations. */
function installations(deps: RouteDeps) {
  const { workspaces, addWorkspace, oauth, lifecycle, appEvents } = deps;
  const find = (teamId: string) => {
    const found = workspaces().find((each) => each.teamId === teamId);
    if (!found) throw new Error(`There is no workspace ${teamId}.`);
    return found;
  };
  return {
    addWorkspace: (scopes = manifestScopes) => {
      const added = addWorkspace();
      if (scopes) added.installation.install(scopes, false);
      return added;
    },
    configureOAuth: oauth.configure,
    authorize: (address, { isAllowed = true, ...by }) => {
      const answered = answer(new URL(address).searchParams, { ...by, isAllowed }, deps);
      if ('error' in answered) throw new Error(answered.error);
      return answered.location;
    },
    install: (teamId, { scopes = manifestScopes, isRotating = false } = {}) =>
      find(teamId).installation.install(scopes, isRotating),
    uninstall: (teamId, leaving) => lifecycle.uninstall(find(teamId), leaving),
    sendEvent: (teamId, event) => appEvents.send(event, find(teamId)),
    changePerson: (id, change) => {
      for (const workspace of workspaces()) workspace.changePerson(id, change);
    },
    shareChannel: async (id, isShared) => {
      const workspace = workspaces().find(({ channels }) => channels.some((channel) => channel.id === id));
      if (workspace) await setShared(workspace, id, isShared, deps);
    },
    deleteChannel: async (id) => {
      const workspace = workspaces().find(({ channels }) => channels.some((channel) => channel.id === id));
      if (workspace) await deleteChannel(workspace, id, deps);
    },
    changeChannel: (id, change) => {
      for (const workspace of workspaces()) workspace.changeChannel(id, change);
    },
  } satisfies Partial<LocalSlack>;
}

/** Enterprise organizations, and people who act outside of their home workspace. */
function organizations(deps: RouteDeps) {
  const { workspaces, lifecycle } = deps;
  const find = (id: string) => {
    const found = deps.organizations().find((each) => each.id === id);
    if (!found) throw new Error(`There is no organization ${id}.`);
    return found;
  };
  return {
    addOrganization: (size = 2) => {
      const organization = deps.addOrganization(size);
      return { organization, workspaces: workspaces().filter((each) => each.organization === organization) };
    },
    installOrganization: (id, { scopes = manifestScopes, isRotating = false } = {}) =>
      find(id).installation.install(scopes, isRotating),
    uninstallOrganization: (id) => lifecycle.uninstallOrganization(find(id)),
    changeAccess: (id, teamIds, isGranted) => lifecycle.changeAccess(find(id), teamIds, isGranted),
    addPerson: (teamId, user) => {
      const person = findActor(workspaces(), user)?.person;
      const workspace = workspaces().find((each) => each.teamId === teamId);
      if (!person || !workspace) throw new Error(`There is no ${person ? 'workspace' : 'person'} of that id.`);
      workspace.addPerson(person);
    },
  } satisfies Partial<LocalSlack>;
}

/** The app's connection, and faults of its calls. */
function connections({ delivery, socketMode, faults }: RouteDeps) {
  return {
    useHttp: delivery.register,
    tamper: delivery.tamper,
    fail: (target, fault, times = 1) => faults.order(target, fault, times),
    failWhen: faults.rule,
    disconnectSockets: socketMode.disconnect,
    connectionCount: socketMode.connectionCount,
    whenConnected: (isConnected = true) => whenConnected(delivery, isConnected),
  } satisfies Partial<LocalSlack>;
}

async function whenConnected(delivery: Delivery, isConnected: boolean): Promise<void> {
  if (delivery.isConnected() === isConnected) return;
  await new Promise<void>((resolve) => {
    const stop = delivery.connection.on((now) => {
      if (now !== isConnected) return;
      stop();
      resolve();
    });
  });
}
