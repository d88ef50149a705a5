import { setTimeout as sleep } from "node:timers/promises";
import { bindingVerdict } from "../../commands/lookup/binding-verdict.ts";
import type { Refusal } from "../../commands/lookup/may-see.ts";
import { UserError } from "../../errors.ts";
import { checkChosen } from "./chosen-channel.ts";
import { permissionsFor } from "./context.ts";
import { freshness, type Profile } from "../../slack/directory/people.ts";
import type { Origin } from "../origin.ts";
import { recordRefusal } from "../record-refusal.ts";
import type { Shell } from "../shell.ts";

type Linking = {
  readonly kind: "connect" | "disconnect";
  readonly whose: "mine" | "channel";
  readonly origin: Origin;
};

type MayLink = { readonly profile: Profile; readonly refusal: Refusal | undefined };

/**
 * Whether a person may link or unlink an account. Full members may for their own. Others act with a channel's account,
 * so policy decides as for lifting its binding: a lock protects the account too. Throws a `UserError` when Slack doesn't answer.
 */
async function judgeLink(shell: Shell, { whose, origin }: Linking): Promise<MayLink> {
  const { teamId, channelId, userId } = origin;
  if (whose === "channel") await checkChosen(shell, origin);
  const profile = await shell.people.profile(userId, freshness.deciding);
  if (profile.standing !== "member") return { profile, refusal: membersOnly };
  if (whose === "mine") return { profile, refusal: undefined };
  const binding = await shell.store.bindingOf(teamId, channelId);
  const permissions = permissionsFor(shell, { profile, channelId, account: undefined });
  const { region: defaultRegion } = shell.settings;
  const { verdict } = await bindingVerdict({ kind: "clear" }, { binding, defaultRegion, asker: profile, permissions });
  return { profile, refusal: verdict.kind === "refuse" ? verdict : undefined };
}

const membersOnly: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "Only full members of this workspace can link or unlink an account.",
  next: "Ask a full member or your Gantry admin.",
};

/** Returns the person's profile if they may link. Otherwise records the refusal in history and throws a `UserError`. */
export async function checkLink(shell: Shell, linking: Linking): Promise<Profile> {
  const { profile, refusal } = await judgeLink(shell, linking);
  if (refusal === undefined) return profile;
  await note(shell, linking, { profile, refusal });
  throw new UserError(refusal.why, { next: refusal.next });
}

function note(
  shell: Shell,
  { kind: verb, origin }: Linking,
  { profile: who, refusal }: MayLink & Refusing,
): Promise<void> {
  return recordRefusal(shell, { refusal, workload: undefined, verb, origin, who, account: undefined });
}

type Refusing = { readonly refusal: Refusal };

/** Slack waits 3 s for the ack, which comes after this. */
const WITHIN_MS = 1_000;

/**
 * Refuses before asking for a token. Undefined when linking is allowed or the check is too slow: it runs again when the
 * token is submitted. Never rejects.
 */
export async function refusedEarly(shell: Shell, linking: Linking): Promise<Refusal | undefined> {
  const control = new AbortController();
  const late = sleep(WITHIN_MS, undefined, { signal: control.signal, ref: false }).catch(() => undefined);
  const judged = judgeLink(shell, linking).catch(() => undefined);
  const may = await Promise.race([judged, late]);
  control.abort();
  if (may?.refusal === undefined) return undefined;
  const { profile, refusal } = may;
  void shell.lanes.track(note(shell, linking, { profile, refusal }));
  return refusal;
}
