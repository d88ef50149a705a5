import { LRUCache } from "lru-cache";
import type { Installation, Source } from "../../workflow/stored.ts";
import { openTokens } from "../../slack/install/oauth.ts";
import type { SlackAccess } from "../../slack/send/clients.ts";
import type { WorkspaceParts } from "../../slack/parts.ts";
import type { InstallationCare } from "./installation-care.ts";
import { createWorkspace, type Shared, type Workspace, workspaceStore } from "./workspace.ts";
import { unawaited } from "../../../platform/waiting.ts";

/** The workspaces that Gantry serves. */
export type Workspaces = {
  /** Before deliveries are taken. Throws an Error with a sentence when Slack refuses the only token. */
  readonly begin: () => Promise<void>;
  /** The one that a payload comes from; undefined when the app isn't installed there. */
  readonly find: (source: Source) => Promise<Workspace | undefined>;
  /** The one of something stored, also after the app was removed from it. */
  readonly of: (teamId: string) => Promise<Workspace>;
  /** Every sweep: notices installations that other replicas changed. */
  readonly refresh: () => Promise<void>;
  /** Reasons why Slack can't be used, as sentences. */
  readonly missing: () => Promise<readonly string[]>;
  /** Saves the calls counted in memory. */
  readonly flushCalls: () => Promise<void>;
};

/** The workspace of the bot token: all there is. */
export function onlyWorkspace(shared: Shared, access: SlackAccess): Workspaces {
  const { log, store } = shared;
  // With one token, the operator replaces a revoked one. Accounts and requests stay.
  const warn = (): Promise<void> => {
    log.warn("the bot token is no longer valid; set SLACK_BOT_TOKEN to a new one");
    return Promise.resolve();
  };
  const only = createWorkspace(shared, {
    access,
    store,
    policy: () => shared.policy(identity.bot().teamId),
    installations: { removed: warn, left: warn, personChanged: () => Promise.resolve() },
  });
  const { identity, tokenRefusal, deps } = only;
  return {
    begin: identity.check,
    find: () => Promise.resolve(only),
    of: () => Promise.resolve(only),
    refresh: () => Promise.resolve(),
    async missing() {
      const isKnown = await identity.isKnown().catch(() => false);
      identity.recheck();
      const refusal = tokenRefusal();
      return [
        ...(isKnown ? [] : ["Slack hasn't confirmed the bot token"]),
        ...(refusal === undefined ? [] : [`Slack rejected the bot token (${refusal})`]),
      ];
    },
    flushCalls: deps.calls.flush,
  };
}

/** In memory at a time. One that is made again has lost its caches and nothing else. */
const MOST = 500;

type Entry = {
  readonly workspace: Workspace;
  /** Undefined after the app was removed: nothing reaches Slack from there. */
  readonly installation: Installation | undefined;
};

export type InstalledWorkspaces = Workspaces & {
  /** This replica changed an installation: its workspaces are made again. Others notice by their next sweep. */
  readonly changed: (installationId: string) => void;
};

/** The workspaces in which the app was installed by OAuth. Each is made when something of it comes in. */
export function installedWorkspaces(
  shared: Shared,
  installations: WorkspaceParts["installations"],
  care: InstallationCare,
): InstalledWorkspaces {
  const { store } = shared;
  const entries = new LRUCache<string, Entry>({
    maxSize: MOST,
    sizeCalculation: () => 1,
    dispose: ({ workspace: { deps } }) =>
      unawaited(deps.calls.flush(), (err) => deps.log.warn({ err }, "couldn't count the last calls")),
  });
  /** Organizations' workspaces that the database knows. */
  const saved = new Set<string>();
  const drop = (teamId: string): void => {
    entries.delete(teamId);
    saved.delete(teamId);
  };
  const keep = (teamId: string, entry: Entry): Workspace => {
    const before = entries.get(teamId);
    const kept = before?.installation === undefined || entry.installation === undefined ? entry : before;
    entries.set(teamId, kept);
    return kept.workspace;
  };
  const entryFor = (teamId: string, installation: Installation | undefined): Entry => {
    const { apiUrl, network } = shared.slack;
    const botToken = installation && tokenOf(shared, installation);
    const workspace = createWorkspace(shared, {
      access: {
        botToken: botToken ?? "",
        ...(apiUrl !== undefined && { apiUrl }),
        ...(network && { network }),
        ...(installation?.isOrgWide === true && { teamId }),
      },
      installed: { teamId, userId: installation?.botUserId ?? "" },
      store: workspaceStore(store, teamId),
      policy: () => shared.policy(teamId),
      installations,
    });
    // For the bot's name. Nobody waits for it.
    if (installation !== undefined && botToken !== undefined) {
      shared.lanes.background(workspace.identity.check().catch(() => care.doubt(installation)));
    }
    return { workspace, installation };
  };
  return {
    begin: () => Promise.resolve(),
    async find({ teamId, enterpriseId }) {
      if (teamId === undefined) return undefined;
      const known = entries.get(teamId);
      if (known?.installation !== undefined) return known.workspace;
      const installation = await store.findInstallation({ teamId, enterpriseId });
      if (installation === undefined) return undefined;
      // What is stored for it names only the workspace.
      if (installation.isOrgWide && !saved.has(teamId)) {
        await store.saveOrgWorkspace(teamId, installation.id);
        saved.add(teamId);
      }
      return keep(teamId, entryFor(teamId, installation));
    },
    async of(teamId) {
      const known = entries.get(teamId);
      if (known !== undefined) return known.workspace;
      const installation = await store.installationOf(teamId);
      // Somebody else may have made it meanwhile: two of them would count the same calls.
      return entries.get(teamId)?.workspace ?? keep(teamId, entryFor(teamId, installation));
    },
    /** Drops workspaces whose installation is another by now, and doubts those whose token Slack refuses. */
    async refresh() {
      const versions = await store.installationVersions();
      for (const [teamId, { installation, workspace }] of Array.from(entries)) {
        const id = versions.has(teamId) ? teamId : installation?.id;
        const isCurrent =
          installation !== undefined && id === installation.id && versions.get(id) === installation.version;
        if (!isCurrent) drop(teamId);
        else if (workspace.tokenRefusal() !== undefined) await care.doubt(installation);
      }
    },
    changed(id) {
      for (const [teamId, { installation }] of Array.from(entries)) {
        if (teamId === id || installation?.id === id) drop(teamId);
      }
    },
    // The token of one workspace doesn't make the bot useless for the others.
    missing: () => Promise.resolve([]),
    async flushCalls() {
      for (const { workspace } of Array.from(entries.values())) await workspace.deps.calls.flush();
    },
  };
}

function tokenOf({ sealer, log }: Shared, installation: Installation): string | undefined {
  try {
    return openTokens(sealer, installation).botToken;
  } catch (err) {
    log.error({ err, installation: installation.id }, "couldn't open the token of a workspace; install the app again");
    return undefined;
  }
}
