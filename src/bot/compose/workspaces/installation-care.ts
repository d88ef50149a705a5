import { within, unawaited } from "../../../platform/waiting.ts";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { Sealer } from "../../accounts/seal.ts";
import { StoreError } from "../../errors.ts";
import { type OAuthCalls, openTokens, sealTokens, type Tokens } from "../../slack/install/oauth.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import type { Installation, Installations } from "../../workflow/access/installation.ts";
import type { Store } from "../../store/store.ts";

export type InstallationCare = {
  /** Slack refused its token, or said that it is over: whether it is, Slack is asked before anything is deleted. */
  readonly doubt: (installation: Installation) => Promise<void>;
  /** Ends an installation: its workspaces are closed, then its tokens are deleted. */
  readonly end: (installation: Installation) => Promise<void>;
  /** Renews tokens and settles doubts, unless that goes on already. Nobody waits for it. */
  readonly begin: () => void;
  /** Before deliveries are taken: tokens that expired while no replica ran. */
  readonly renewExpired: () => Promise<void>;
};

type Parts = {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly calls: OAuthCalls;
  readonly lanes: Pick<Lanes, "track">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Called after an installation got another token, or was removed. */
  readonly changed: (installationId: string) => void;
};

/** Tokens last twelve hours: https://docs.slack.dev/authentication/using-token-rotation */
const RENEW_BEFORE_MS = 2 * 60 * 60_000;
/** Longer than one exchange takes. After a failure, the next attempt comes when it is over. */
const LEASE_MS = 60_000;
const BEGIN_WITHIN_MS = 5_000;
/** Of one installation that stays in doubt. */
const ASK_EVERY_MS = 60_000;

/** Keeps installations alive, and ends those that Slack has ended. Any replica does it at any time. */
export function createInstallationCare(parts: Parts): InstallationCare {
  const { store, lanes, log, clock } = parts;
  const askedMs = new Map<string, number>();
  let running: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    try {
      await renewDue(parts);
      for (const installation of await store.listSuspect()) {
        const last = askedMs.get(installation.id);
        if (last !== undefined && clock.now().getTime() - last < ASK_EVERY_MS) continue;
        askedMs.set(installation.id, clock.now().getTime());
        await alone(parts, installation, settle);
      }
    } catch (err) {
      log.warn({ err }, "couldn't look after the installations; it is tried again");
    }
  };
  const begin = (): Promise<void> =>
    (running ??= lanes.track(round()).finally(() => {
      running = undefined;
    }));
  return {
    doubt: ({ id }) => store.suspectInstallation(id),
    end: (installation) => end(parts, installation),
    begin: () => unawaited(begin(), (err) => log.error({ err }, "couldn't look after the installations")),
    renewExpired: () => within(BEGIN_WITHIN_MS, begin(), () => undefined, clock),
  };
}

async function renewDue(parts: Parts): Promise<void> {
  for (;;) {
    const due = await parts.store.takeRotation(RENEW_BEFORE_MS, LEASE_MS);
    if (due === undefined) return;
    await alone(parts, due, renew);
  }
}

/** What fails for one installation, such as a token whose key is gone, doesn't keep the others waiting. */
async function alone(
  parts: Parts,
  installation: Installation,
  work: (parts: Parts, installation: Installation) => Promise<void>,
): Promise<void> {
  try {
    await work(parts, installation);
  } catch (err) {
    if (err instanceof StoreError) throw err;
    parts.log.error({ err, installation: installation.id }, "couldn't look after an installation; it is tried again");
  }
}

async function renew({ store, sealer, calls, log, clock, changed }: Parts, installation: Installation): Promise<void> {
  const { id } = installation;
  const { refreshToken } = openTokens(sealer, installation);
  if (refreshToken === undefined) return;
  const renewed = await calls.renew(refreshToken);
  if (renewed.kind !== "renewed") {
    const { kind, code: slackError } = renewed;
    log.error({ installation: id, slackError }, "couldn't renew the token of a workspace; it is tried again");
    return kind === "refused" ? store.suspectInstallation(id) : undefined;
  }
  const tokens: Tokens = { botToken: renewed.botToken, refreshToken: renewed.refreshToken };
  const expiresAt = new Date(clock.now().getTime() + renewed.expiresInMs);
  await store.rotated(installation, { sealedTokens: sealTokens(sealer, installation, tokens), expiresAt });
  changed(id);
  log.info({ installation: id }, "renewed the token of a workspace");
}

/** Slack's word decides: a late event of an earlier installation must not end the current one. */
async function settle(parts: Parts, installation: Installation): Promise<void> {
  const { store, sealer, calls, log } = parts;
  const state = await calls.check(openTokens(sealer, installation).botToken);
  if (state === "accepted") return store.trustInstallation(installation.id);
  if (state === "ended") return end(parts, installation);
  if (state === "refused") {
    log.error({ installation: installation.id }, "Slack refuses the token of a workspace; install the app again");
  }
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
      care.begin();
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
