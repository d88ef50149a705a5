import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { Sealer } from "../../accounts/seal.ts";
import { type OAuthCalls, openTokens, sealTokens, type Tokens } from "../../slack/install/oauth.ts";
import type { Installations } from "../../workflow/ports.ts";
import type { Installation } from "../../workflow/stored.ts";
import type { Due } from "../../workflow/due-kinds.ts";
import type { DueEnd, DueWork } from "../../workflow/due.ts";
import type { Store } from "../../store/store.ts";

export type InstallationCare = {
  /** Slack refused its token, or said that it is over: whether it is, Slack is asked before anything is deleted. */
  readonly doubt: (installation: Installation) => Promise<void>;
  /** Ends an installation: its workspaces are closed, then its tokens are deleted. */
  readonly end: (installation: Installation) => Promise<void>;
  readonly work: Readonly<Record<"doubt" | "token", DueWork>>;
};

type Parts = {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly calls: OAuthCalls;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
  /** Called after an installation got another token, or was removed. */
  readonly changed: (installationId: string) => void;
};

/** Tokens last twelve hours: https://docs.slack.dev/authentication/using-token-rotation */
const RENEW_BEFORE_MS = 2 * 60 * 60_000;

function renewalAt(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() - RENEW_BEFORE_MS);
}

/** While a token isn't renewed or an installation stays in doubt, Slack is asked once a minute. */
const AGAIN_MS = 60_000;
const AGAIN: DueEnd = { ms: AGAIN_MS, isFailure: true };
/** A new doubt takes it away. */
const ACCEPTED = "accepted";

/** Keeps installations alive, and ends those that Slack has ended. */
export function createInstallationCare(parts: Parts): InstallationCare {
  const { store } = parts;
  const of =
    (work: (parts: Parts, installation: Installation, due: Due) => Promise<DueEnd>): DueWork =>
    async (due) => {
      const installation = await store.installationById(due.key);
      return installation === undefined ? "done" : work(parts, installation, due);
    };
  return {
    doubt: ({ id }) => store.suspectInstallation(id),
    end: (installation) => end(parts, installation),
    work: { doubt: of(settle), token: of(renew) },
  };
}

async function renew(
  { store, sealer, calls, log, clock, changed }: Parts,
  installation: Installation,
): Promise<DueEnd> {
  const { id, expiresAt: end } = installation;
  if (end === undefined) return "done";
  if (renewalAt(end) > clock.now()) return { at: renewalAt(end) };
  const { refreshToken } = openTokens(sealer, installation);
  if (refreshToken === undefined) return "done";
  const renewed = await calls.renew(refreshToken);
  if (renewed.kind !== "renewed") {
    const { kind, code: slackError } = renewed;
    log.error({ installation: id, slackError }, "couldn't renew the token of a workspace; it is tried again");
    if (kind === "refused") await store.suspectInstallation(id);
    return AGAIN;
  }
  const tokens: Tokens = { botToken: renewed.botToken, refreshToken: renewed.refreshToken };
  const expiresAt = new Date(clock.now().getTime() + renewed.expiresInMs);
  await store.rotated(installation, { sealedTokens: sealTokens(sealer, installation, tokens), expiresAt });
  changed(id);
  log.info({ installation: id }, "renewed the token of a workspace");
  return { at: renewalAt(expiresAt) };
}

/** Slack's word decides: a late event of an earlier installation must not end the current one. */
async function settle(parts: Parts, installation: Installation, { payload }: Due): Promise<DueEnd> {
  const { sealer, calls, log } = parts;
  if (payload === ACCEPTED) return "done";
  const state = await calls.check(openTokens(sealer, installation).botToken);
  // A replica may go on doubting it in each sweep, because of a call that Slack refused before.
  if (state === "accepted") return { ms: AGAIN_MS, isFailure: true, payload: ACCEPTED };
  if (state === "ended") {
    await end(parts, installation);
    return "done";
  }
  if (state === "refused") {
    log.error({ installation: installation.id }, "Slack refuses the token of a workspace; install the app again");
  }
  return AGAIN;
}

async function end({ store, log, changed }: Parts, installation: Installation): Promise<void> {
  // In doubt until it is over: when this process dies, another replica goes on.
  await store.suspectInstallation(installation.id);
  const by = { userId: installation.botUserId, name: "Gantry" };
  for (const teamId of await store.workspacesOf(installation)) await store.closeWorkspace({ teamId, by });
  await store.removeInstallation(installation);
  changed(installation.id);
  log.info(
    { installation: installation.id },
    "the app was removed from a workspace; its accounts and tokens are deleted",
  );
}

/** What Slack tells about installations. */
export function installationEvents(
  { store, changed }: Pick<Parts, "store" | "changed">,
  care: InstallationCare,
): Installations {
  return {
    async removed(source, at) {
      const installation = await store.findInstallation(source);
      if (installation === undefined) return;
      // Slack sends an event again for hours: it may be about an installation before this one.
      const isCertain = !installation.isOrgWide && at > installation.installedAt;
      await (isCertain ? care.end(installation) : care.doubt(installation));
    },
    async left(teamIds) {
      for (const teamId of teamIds) {
        const installation = await store.installationOf(teamId);
        if (installation?.isOrgWide !== true) continue;
        await store.closeWorkspace({ teamId, by: { userId: installation.botUserId, name: "Gantry" } });
        changed(teamId);
      }
    },
    personChanged: (teamId, userId) => store.forgetElsewhere(teamId, userId),
  };
}
