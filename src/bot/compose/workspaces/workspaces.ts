import { createDirectory } from "../../commands/lookup/directory.ts";
import type { createLogPool } from "../../logs/threads/log-pool.ts";
import type { ReplicaReport } from "../../health/facts.ts";
import type { Policy } from "../../policy/policy.ts";
import { homeLater } from "../../slack/home/draw.ts";
import { createFormReply } from "../../slack/modals/form-reply.ts";
import { createOpenViews } from "../../slack/modals/open-views.ts";
import type { RouteDeps } from "../../slack/receive/route.ts";
import type { SlackAccess } from "../../slack/send/clients.ts";
import { createAccounts } from "../../workflow/access/accounts.ts";
import { type CallCounts, createCallCounts } from "../../workflow/access/call-counts.ts";
import { createEnvValues, rememberingEnv } from "../../workflow/access/env-values.ts";
import type { createLanes } from "../../workflow/inbox/lanes.ts";
import type { Source } from "../../workflow/access/installation.ts";
import type { Clock, WorkflowParts } from "../../workflow/ports.ts";
import type { BotParts } from "../bot.ts";
import { createCheckup } from "../health/bot-checkup.ts";
import { connectSlack, type SlackParts } from "./slack-parts.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

type Deps = RouteDeps & WorkflowParts & { readonly calls: CallCounts };

/** What all workspaces share. Nothing in it remembers anything about one of them, other than by ids. */
export type Shared = Pick<Deps, "dropped" | "newReference" | "repeats" | "retries"> & {
  readonly clock: Clock;
  readonly lanes: ReturnType<typeof createLanes>;
  readonly logs: ReturnType<typeof createLogPool>;
  readonly report: () => Promise<ReplicaReport>;
};

/** With what Slack tells about installations. */
export type RoutedShared = Shared & Pick<Deps, "installations">;

/** Everything that speaks to one workspace, or remembers something about it. */
export type Workspace = Pick<SlackParts, "identity" | "tokenRefusal"> & { readonly deps: Deps };

export type Workspaces = {
  /** Before deliveries are taken. Throws an Error with a sentence when Slack refuses the only token. */
  readonly begin: () => Promise<void>;
  /** The one that a payload comes from; undefined when the app isn't installed there. */
  readonly find: (source: Source) => Promise<Workspace | undefined>;
  /** The one of something stored, also after the app was removed from it. */
  readonly of: (teamId: string) => Promise<Workspace>;
  /** Every sweep: notices installations that other replicas changed, and starts what has to be done about tokens. */
  readonly refresh: () => Promise<void>;
  /** Reasons why Slack can't be used, as sentences. */
  readonly missing: () => Promise<readonly string[]>;
  /** Saves the calls counted in memory. */
  readonly flushCalls: () => Promise<void>;
};

/** The workspace of the bot token: all there is. */
export function onlyWorkspace(parts: BotParts, shared: RoutedShared, access: SlackAccess): Workspaces {
  const only = createWorkspace(parts, shared, { access, store: parts.store, policy: () => parts.policy(teamId()) });
  const { identity, tokenRefusal, deps } = only;
  const teamId = (): string | undefined => identity.bot().teamId;
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

export type OneWorkspace = {
  readonly access: SlackAccess;
  readonly installed?: { readonly teamId: string; readonly userId: string };
  readonly store: WorkspaceStore;
  readonly policy: () => Policy;
};

export function createWorkspace(parts: BotParts, shared: RoutedShared, one: OneWorkspace): Workspace {
  const { clock, newReference } = shared;
  const { access, installed, store, policy } = one;
  const slack = connectSlack(parts, {
    access,
    installed,
    store,
    clock,
    newReference,
    // Both need the parts that need the responder.
    formReply: (form, origin) => createFormReply(deps, { form, origin }),
    refreshHome: (origin) => homeLater(deps, origin),
  });
  const { messenger, people, responder, cards, identity, tokenRefusal } = slack;
  const { log, sealer, settings } = parts;
  const workloads = workloadParts(parts, one, { now: clock.now, teamId: () => identity.bot().teamId });
  const deps: Workspace["deps"] = {
    log,
    policy,
    sealer,
    settings,
    store,
    ...workloads,
    ...shared,
    checkup: createCheckup({
      bot: parts,
      access,
      ...workloads,
      teamId: () => identity.bot().teamId,
      policy,
      now: clock.now,
      report: shared.report,
    }),
    cards,
    messenger,
    openViews: createOpenViews(),
    people,
    responder,
  };
  return { deps, identity, tokenRefusal };
}

/** Reaches the workload API with people's accounts. */
function workloadParts(
  { api: parent, sealer, accountMode: mode, account }: BotParts,
  { store }: Pick<OneWorkspace, "store">,
  { now, teamId }: { readonly now: () => Date; readonly teamId: () => string | undefined },
) {
  const nowMs = (): number => now().getTime();
  const envValues = createEnvValues(nowMs);
  const api = rememberingEnv(parent.isolated(), envValues);
  const configured = account && ({ owner: { kind: "workspace" }, ...account } as const); // a literal kind
  return {
    api,
    accounts: createAccounts({ store, sealer, mode, configured, nowMs }),
    calls: createCallCounts({ teamId, api, store, now }),
    directory: createDirectory(nowMs),
    envValues,
  };
}
