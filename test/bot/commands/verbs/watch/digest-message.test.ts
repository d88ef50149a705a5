import { expect, test } from "vitest";
import { type Digest, digestMessage } from "../../../../../src/bot/commands/verbs/watch/digest-message.ts";
import type { WorkloadStatus } from "../../../../../src/api/workload-status.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { now } from "../../support/script.ts";

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
