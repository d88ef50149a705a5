import type { Api, ApiAccount } from "../../../api/client.ts";
import { machineClock } from "../../../platform/clock.ts";
import { directNetwork } from "../../../platform/http/network.ts";
import type { AccountMode } from "../../accounts/resolve.ts";
import { createDirectory } from "../../commands/lookup/directory.ts";
import type { ReplicaReport } from "../../health/facts.ts";
import type { LogPool } from "../../logs/threads/log-pool.ts";
import type { Policy } from "../../policy/policy.ts";
import { createIdentity, type Identity } from "../../slack/directory/identity.ts";
import { createPeople } from "../../slack/directory/people.ts";
import { homeLater } from "../../slack/home.ts";
import type { OAuthApp } from "../../slack/install/oauth.ts";
import { createFormReply } from "../../slack/modals/form-outcome.ts";
import { createOpenViews } from "../../slack/modals/update-view.ts";
import type { WorkspaceParts } from "../../slack/parts.ts";
import type { TransportChoice } from "../../slack/receive/transport.ts";
import { createBackOff } from "../../slack/send/call.ts";
import { createClients, type SlackAccess, type SlackPlace } from "../../slack/send/clients.ts";
import { createMessenger } from "../../slack/send/messenger.ts";
import { createResponder } from "../../slack/send/responder.ts";
import { createSender } from "../../slack/send/sender.ts";
import type { Store, WorkspaceStore } from "../../store/store.ts";
import { createAccounts, createCallCounts } from "../../workflow/access/accounts.ts";
import { createEnvValues, workloadLogs } from "../../workflow/access/env-values.ts";
import { guardedApi } from "../../workflow/access/guarded-api.ts";
import { createCheckup, type HealthParts } from "../health/bot-checkup.ts";

/** The app in Slack: with the token of its one workspace, or installed in several by OAuth. */
export type SlackApp = SlackPlace & { readonly transport: TransportChoice } & (
    | Pick<SlackAccess, "botToken">
    | { readonly oauth: OAuthApp }
  );

/** What all workspaces are made from. Nothing in it remembers anything about one of them, other than by ids. */
export type Shared = Pick<
  WorkspaceParts,
  "clock" | "deliver" | "dropped" | "lanes" | "log" | "repeats" | "sealer" | "settings" | "start"
> & {
  /** The account that the operator set; undefined when each workspace connects its own. */
  readonly account: ApiAccount | undefined;
  readonly accountMode: AccountMode;
  readonly api: Api;
  /** Before a response_url is tried again. */
  readonly backOff?: ((ms: number) => Promise<void>) | undefined;
  readonly health?: HealthParts | undefined;
  readonly logs: LogPool;
  /** Of a workspace; undefined until Slack has said which one it is. */
  readonly policy: (teamId: string | undefined) => Policy;
  /** What this replica says about itself now. Never rejects. */
  readonly report: () => Promise<ReplicaReport>;
  readonly slack: SlackApp;
  readonly store: Store;
};

/** What only one workspace has. */
export type OneWorkspace = Pick<WorkspaceParts, "installations" | "policy"> & {
  readonly access: SlackAccess;
  /** Who the bot is there, when that is known without asking Slack. */
  readonly installed?: { readonly teamId: string; readonly userId: string };
  readonly store: WorkspaceStore;
};

/** Everything that speaks to one workspace, or remembers something about it. */
export type Workspace = {
  readonly deps: WorkspaceParts;
  readonly identity: Identity;
  /** Why Slack refuses the bot token; undefined while it doesn't. */
  readonly tokenRefusal: () => string | undefined;
};

export function createWorkspace(shared: Shared, one: OneWorkspace): Workspace {
  const { account, accountMode: mode, api: bare, backOff, health, logs, report, slack, ...common } = shared;
  const { clock, log, sealer, settings } = common;
  const { access, installed, installations, policy, store } = one;
  const wait = backOff ?? clock.sleep;
  const { network = directNetwork } = access;

  const clients = createClients(access, log);
  const { tokenRefusal } = clients;
  const client = clients.of("interactive");
  const identity = createIdentity({ client, tokenRefusal, installed, log, clock });
  const teamId = (): string | undefined => identity.bot().teamId;
  const messenger = createMessenger({
    clients,
    backOff: createBackOff(clock),
    wait,
    replies: { post: network.post, wait },
    log,
    command: settings.command,
  });
  const people = createPeople({
    client,
    async teamId() {
      await identity.isKnown();
      return teamId();
    },
    clock,
    wait,
    store,
    log,
    bot: identity.bot,
  });
  const responder = createResponder({
    messenger,
    people,
    clock,
    log,
    // Both need the parts that need the responder.
    formReply: (form, origin) => createFormReply(deps, { form, origin }),
    refreshHome: (origin) => homeLater(deps, origin),
  });

  const envValues = createEnvValues(clock);
  const api = guardedApi(bare.isolated(), envValues);
  const configured = account && ({ owner: { kind: "workspace" }, ...account } as const); // a literal kind
  const { inUse, ...calls } = createCallCounts({ teamId, api, store, clock });
  const accounts = createAccounts({ store, sealer, mode, configured, clock, inUse });

  const deps: WorkspaceParts = {
    ...common,
    accounts,
    api,
    calls,
    checkup: createCheckup({
      ...common,
      access,
      account,
      accounts,
      api,
      calls,
      clock: { ...machineClock, now: clock.now },
      health,
      policy,
      report,
      slack,
      teamId,
    }),
    directory: createDirectory(clock),
    installations,
    logs: workloadLogs(logs, envValues),
    messenger,
    openViews: createOpenViews(),
    people,
    policy,
    responder,
    sender: createSender(messenger),
    store,
  };
  return { deps, identity, tokenRefusal };
}

/** Their first argument is the id of the workspace. */
const byTeam: ReadonlySet<keyof WorkspaceStore> = new Set([
  "allWatches",
  "announce",
  "bindingOf",
  "forgetProfile",
  "lastPolls",
  "mutesOf",
  "pendingChanges",
  "profilesOf",
  "removeAccount",
  "saveProfiles",
  "setFileWatches",
  "setRegion",
] as const); // names of functions
/** They ask no database. */
const plain: ReadonlySet<string> = new Set(["isOpen", "onDue", "sendWithinMs"]);

/** The store for one workspace: throws when it is given an id, or something, of another one. */
export function workspaceStore(store: Store, teamId: string): WorkspaceStore {
  // As deep as what an argument lists.
  const check = (value: unknown, depth = 0): void => {
    if (typeof value !== "object" || value === null) return;
    // Work that came from an older version belongs to no workspace.
    if ("teamId" in value && value.teamId !== teamId && value.teamId !== "") {
      throw new Error(`something of another workspace was asked for in ${teamId}`);
    }
    if (depth < 3) for (const inner of Object.values(value)) check(inner, depth + 1);
  };
  const own = Object.fromEntries(
    Object.entries(store).map(([name, value]: [string, unknown]) => {
      if (typeof value !== "function" || plain.has(name)) return [name, value];
      const isByTeam = (byTeam as ReadonlySet<string>).has(name); // a wider element
      const run = async (...args: readonly unknown[]): Promise<unknown> => {
        check(isByTeam ? [{ teamId: args[0] }, ...args] : args);
        return Reflect.apply(value, undefined, args);
      };
      return [name, run];
    }),
  ) as unknown as Store; // the same names, each with the type it had
  return {
    ...own,
    allWatches: (id = teamId) => own.allWatches(id),
    find: (key) => own.find(key, teamId),
    advance: (id, ...step) => own.advance(typeof id === "string" ? { id, teamId } : id, ...step),
  };
}
