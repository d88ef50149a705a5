import { pino } from "pino";
import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../src/bot/accounts/seal.ts";
import { createInstallationCare } from "../../../src/bot/compose/workspaces/installation-care.ts";
import { type OAuthCalls, sealTokens } from "../../../src/bot/slack/install/oauth.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import { dueLoop } from "../../support/due-loop.ts";
import { migratedInMemory } from "../../support/migrated-database.ts";
import { testClock } from "../../support/test-clock.ts";

const MINUTE = 60_000;

/** An installation of T1, and how often Slack was asked about it. */
async function installed(state: Awaited<ReturnType<OAuthCalls["check"]>>) {
  const clock = testClock();
  const sealer = createSealer(readKeyring(newKey()));
  const log = pino({ level: "silent" });
  const db = await migratedInMemory();
  const store = await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "a", log, sealer, clock });
  const installation = { id: "T1", isOrgWide: false };
  await store.saveInstallation({
    ...installation,
    enterpriseId: undefined,
    name: "One",
    appId: "A1",
    botUserId: "UB",
    scopes: [],
    sealedTokens: sealTokens(sealer, installation, { botToken: "xoxb", refreshToken: undefined }),
    expiresAt: undefined,
    installedBy: "U1",
  });
  let asked = 0;
  const calls = { check: async () => ((asked += 1), state) } as unknown as OAuthCalls; // nothing else is asked
  const care = createInstallationCare({ store, sealer, calls, log, clock, changed: () => undefined });
  const { begin, lanes } = dueLoop({ store, work: care.work, log });
  return {
    asked: () => asked,
    doubt: () => store.suspectInstallation("T1"),
    isInDoubt: async () => (await db.selectFrom("due").select("key").where("kind", "=", "doubt").execute()).length > 0,
    pass: clock.passMs,
    sweep: async (): Promise<void> => {
      await begin();
      await lanes.idle();
    },
  };
}

test("a replica that doubts an installation in each sweep makes Slack be asked once a minute", async () => {
  const { asked, doubt, isInDoubt, pass, sweep } = await installed("accepted");

  for (let second = 0; second < 130; second += 2) {
    await doubt();
    await sweep();
    pass(2_000);
  }

  expect(asked()).toBe(3);
  // Nobody doubts it any more.
  for (let minute = 0; minute < 3; minute += 1) {
    pass(MINUTE);
    await sweep();
  }
  expect([asked(), await isInDoubt()]).toEqual([4, false]);
});

test("an installation stays in doubt while Slack refuses its token, and is asked about once a minute", async () => {
  const { asked, doubt, isInDoubt, pass, sweep } = await installed("refused");
  await doubt();

  for (let minute = 0; minute < 3; minute += 1) {
    await sweep();
    await sweep();
    pass(MINUTE + 1);
  }

  expect([asked(), await isInDoubt()]).toEqual([3, true]);
});
