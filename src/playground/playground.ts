import { checkApp } from "./check/app.ts";
import { controlRoutes } from "./control/routes.ts";
import { createInstallDesk, type InstallDesk, worldNamed } from "./installs/install.ts";
import type { World } from "./world.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { openWorlds, type PlaygroundOptions } from "./open-worlds.ts";
import { besides, keepInstalls, keepSaved } from "./saved-files.ts";
import type { Links, LinkTroubles } from "./sockets/links.ts";

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
  const { slack, worlds, paths, notices } = openWorlds(options);
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
      worlds[0].clock.close();
      worlds[0].links.close();
      for (const { faults } of worlds) faults.release();
    },
  };
}
