import { expect, test } from "vitest";
import type { Watch, WatchTarget } from "../../../../../src/bot/watch/watch.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { answerTo, now } from "../../support/script.ts";

function watchOf(target: WatchTarget): Watch {
  return {
    id: `w-${target.names}`,
    teamId: "T0GANTRY",
    owner: { userId: "U0DANA", name: "Dana Reyes" },
    source: "person",
    account: { owner: { kind: "workspace" }, username: "dana" },
    target,
    place: { kind: "channel", channelId: "C0OPS" },
    events: ["failing", "recovered"],
    afterMs: 120_000,
    quiet: undefined,
    digest: undefined,
    createdAt: now,
  };
}

test("a watch names its region only where services are watched outside of the usual one", async () => {
  const watches = [
    watchOf({ kind: "service", names: "web", region: "beijing1" }),
    watchOf({ kind: "service", names: "api", region: "beijing2" }),
    watchOf({ kind: "job", names: "report", region: "beijing2" }),
  ];

  const rows = drawn(await answerTo("watches", { watches }))
    .split("\n")
    .filter((line) => line.startsWith("🔔"));

  expect(rows).toEqual(["🔔 web", "🔔 api in beijing2", "🔔 job report"]);
});
