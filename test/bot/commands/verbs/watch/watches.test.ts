import { expect, test } from "vitest";
import type { Watch, WatchTarget } from "../../../../../src/bot/watch/watch.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { answerTo, now } from "../../support/script.ts";
import { type Digest, digestMessage } from "../../../../../src/bot/commands/verbs/watch/digest-message.ts";
import type { WorkloadStatus } from "../../../../../src/api/workload-status.ts";

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

/** What a digest says about web in this state. */
function aboutWeb(health: WorkloadStatus): string {
  const digest: Digest = {
    target: { kind: "service", names: "*", region: "beijing1" },
    unwell: [{ kind: "service", name: "web", health }],
    changes: [],
    waiting: [],
    problems: [],
    now,
    defaultRegion: "beijing1",
    isAgain: false,
  };
  const message = digestMessage(digest);
  return message === undefined ? "" : drawn(message);
}

test("a digest doesn't say how long ago the last restart was, because nobody updates it", () => {
  const restarting = { level: "failing", words: "restarting", isRestarting: true } as const; // a literal level
  const lastAt = new Date(now.getTime() - 300_000).toISOString();

  expect(aboutWeb({ ...restarting, lastAt })).toBe(aboutWeb(restarting));
});
