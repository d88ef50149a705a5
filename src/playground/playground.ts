import { checkApp } from "./check/app.ts";
import { controlRoutes } from "./control/routes.ts";
import { createInstallDesk, type InstallDesk, worldNamed } from "./installs/install-desk.ts";
import type { OAuthApp } from "./installs/slack.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { openWorlds } from "./open-worlds.ts";
import { keepInstalls } from "./saved/installs-file.ts";
import { besides, keepSaved } from "./saved/workspace-file.ts";
import type { Links, LinkTroubles } from "./sockets/links.ts";
import { createTimers, type Later } from "./timers.ts";
import type { App, ExternalFault, World } from "./world.ts";

export type PlaygroundOptions = {
  readonly app: App;
  readonly signingSecret: string;
  /** xoxb-… of an app that is in one workspace from the start, and in no other. */
  readonly botToken?: string;
  /** An app that several workspaces can install; at first, none has it. Instead of `botToken`. */
  readonly oauth?: OAuthApp;
  /** xapp-…, for an app in Socket Mode. Default: a new one. */
  readonly appToken?: string;
  /** Default: connections:write. */
  readonly appTokenScopes?: readonly string[];
  /** The playground's base URL; a function while the port is not known yet. */
  readonly url: string | (() => string);
  /** The bot's request URL: http://127.0.0.1:3000/slack/events */
  readonly requestUrl: () => string;
  /**
   * Milliseconds since 1970. All timestamps and expiries use it, except signatures: the bot checks those by wall time.
   */
  readonly now?: () => number;
  /** Schedules event retries. Defaults to timers of this process. */
  readonly later?: Later;
  /** Limit for an ack in milliseconds. Defaults to Slack's 3 s. */
  readonly ackMs?: number;
  /** Host names besides loopback that may use the control routes ("gantry.example:8080"). */
  readonly hosts?: readonly string[];
  /** The file in which the first workspace outlives a restart; the others have theirs beside it. Undefined keeps nothing. */
  readonly savedIn?: string;
  /** Told when saving fails. */
  readonly onTrouble?: (sentence: string) => void;
  /** More switches on the page's faults panel, for faults outside of Slack. */
  readonly externalFaults?: readonly ExternalFault[];
};

/** The first workspace, and the way to the others. */
export type Playground = Workspace & {
  readonly fetch: (request: Request) => Promise<Response>;
  /** A workspace by id, name or domain: "harbour". Throws a sentence if there is none. */
  readonly workspace: (name: string) => Workspace;
  readonly installs: InstallDesk;
  /** The app's connections in Socket Mode, and what can happen to them. */
  readonly links: LinkTroubles & Pick<Links, "names">;
  /** Takes the connections of Socket Mode: give it the `upgrade` events of the server that serves `fetch`. */
  readonly upgrade: Links["upgrade"];
  /** Notices about the saved workspaces, as sentences. */
  readonly notices: readonly string[];
  /** Saves the workspaces and ends answers that hang. */
  readonly close: () => void;
};

/**
 * A simulated Slack for one bot. Serve its `fetch` over HTTP and give its URL to the bot as slackApiUrl. Throws an Error
 * when the app breaks a rule of Slack's manifest.
 */
export function createPlayground(options: PlaygroundOptions): Playground {
  checkApp(options.app);
  const timers = createTimers();
  const { slack, worlds, paths, notices } = openWorlds(options, options.later ?? timers.later);
  const { savedIn, onTrouble = () => undefined } = options;
  if (savedIn !== undefined && options.oauth !== undefined) keepInstalls(slack, besides(savedIn, "installs"));
  const saving = paths.map(({ world, path }) => keepSaved(world, { path, onTrouble }));
  const routes = controlRoutes(slack, options.hosts ?? []);
  const workspaces = new Map(worlds.map((world) => [world, openWorkspace(world)]));
  const workspaceOf = (world: World): Workspace => workspaces.get(world) ?? openWorkspace(world);
  return {
    ...workspaceOf(worlds[0]),
    fetch: async (request) => routes.fetch(request),
    workspace: (name) => workspaceOf(worldNamed(slack, name)),
    installs: createInstallDesk(slack),
    links: worlds[0].links,
    upgrade: worlds[0].links.upgrade,
    notices,
    close() {
      for (const each of saving) each.close();
      timers.close();
      worlds[0].links.close();
      for (const { faults } of worlds) faults.release();
    },
  };
}
