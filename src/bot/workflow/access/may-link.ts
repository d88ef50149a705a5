import { setTimeout as sleep } from "node:timers/promises";
import type { Refusal } from "../../commands/lookup/may-see.ts";
import { UserError } from "../../errors.ts";
import { checkChosen } from "./chosen-channel.ts";
import type { Whose } from "../../commands/command.ts";
import type { AccountOwner } from "../../accounts/resolve.ts";
import type { Origin } from "../origin.ts";
import { noteRefusal } from "../history.ts";
import { freshness, type Profile, type WorkflowParts } from "../ports.ts";
import { permissionsFor } from "./permissions.ts";
import { bindingVerdict } from "../../commands/lookup/authorize.ts";

type Linking = {
  readonly kind: "connect" | "disconnect";
  readonly whose: Whose;
  readonly origin: Origin;
};

type MayLink = { readonly profile: Profile; readonly refusal: Refusal | undefined };

/**
 * Whether a person may link or unlink an account. Full members may for their own. Others act with a channel's account,
 * so policy decides as for lifting its binding: a lock protects the account too. Throws a `UserError` when Slack doesn't answer.
 */
async function mayLink(deps: WorkflowParts, { whose, origin }: Linking): Promise<MayLink> {
  const { teamId, channelId, userId } = origin;
  if (whose === "channel") await checkChosen(deps.people, origin);
  const profile = await deps.people.profile(userId, freshness.deciding);
  if (profile.standing !== "member") return { profile, refusal: membersOnly };
  if (whose === "mine") return { profile, refusal: undefined };
  if (whose === "workspace") return { profile, refusal: workspaceRefusal(deps, profile) };
  const binding = await deps.store.bindingOf(teamId, channelId);
  const permissions = permissionsFor(deps, { profile, channelId, account: undefined });
  const { region: defaultRegion } = deps.settings;
  const { verdict } = await bindingVerdict({ kind: "clear" }, { binding, defaultRegion, asker: profile, permissions });
  return { profile, refusal: verdict.kind === "refuse" ? verdict : undefined };
}

/** Everybody acts with it, so it isn't a question for the policy, which may be for one channel. */
function workspaceRefusal({ accounts }: Pick<WorkflowParts, "accounts">, { isAdmin }: Profile): Refusal | undefined {
  if (accounts.isConfigured) return configured;
  return isAdmin ? undefined : adminsOnly;
}

const configured: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "The workspace's account is in Gantry's settings, so it can't be connected or disconnected here.",
  next: "Ask your Gantry admin, or connect your own account with `/gantry connect`.",
};

const adminsOnly: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "Only workspace admins can connect or disconnect the workspace's account.",
  next: "Ask a workspace admin, or connect your own account with `/gantry connect`.",
};

const membersOnly: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "Only full members of this workspace can connect or disconnect an account.",
  next: "Ask a full member or your Gantry admin.",
};

/** Returns the person's profile if they may link. Otherwise records the refusal in history and throws a `UserError`. */
export async function checkLink(deps: WorkflowParts, linking: Linking): Promise<Profile> {
  const { profile, refusal } = await mayLink(deps, linking);
  if (refusal === undefined) return profile;
  await note(deps, linking, { profile, refusal });
  throw new UserError(refusal.why, { next: refusal.next });
}

function note(
  deps: WorkflowParts,
  { kind: verb, origin }: Linking,
  { profile: who, refusal }: MayLink & Refusing,
): Promise<void> {
  return noteRefusal(deps, { refusal, workload: undefined, verb, origin, who, account: undefined });
}

type Refusing = { readonly refusal: Refusal };

/** Slack waits 3 s for the ack, which comes after this. */
const WITHIN_MS = 1_000;

/**
 * Refuses before asking for a token. Undefined when linking is allowed or the check is too slow: it runs again when the
 * token is submitted. Never rejects.
 */
export async function refusedEarly(deps: WorkflowParts, linking: Linking): Promise<Refusal | undefined> {
  const control = new AbortController();
  const late = sleep(WITHIN_MS, undefined, { signal: control.signal, ref: false }).catch(() => undefined);
  const checked = mayLink(deps, linking).catch(() => undefined);
  const may = await Promise.race([checked, late]);
  control.abort();
  if (may?.refusal === undefined) return undefined;
  const { profile, refusal } = may;
  deps.lanes.background(note(deps, linking, { profile, refusal }));
  return refusal;
}

/** The person's own account, that of the channel where it was requested, or the workspace's. */
export function linkOwner(whose: Whose, { userId, channelId }: Origin): AccountOwner {
  if (whose === "workspace") return { kind: "workspace" };
  return whose === "mine" ? { kind: "user", userId } : { kind: "channel", channelId };
}
