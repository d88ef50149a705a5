import { describe, expect, test } from "vitest";
import type { ChangeState, StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import { nextPart, nextToSend } from "../../../../src/bot/workflow/run/run.ts";
import { stored } from "../../views/support/stored-changes.ts";

const settledAt = new Date("2026-11-21T12:10:00Z");
const open: ReadonlySet<ChangeState> = new Set(["approved", "claimed"]);

function requestWith(states: readonly (ChangeState | "doubted")[]): StoredChange {
  const parts = states.map((state, at) =>
    state === "doubted"
      ? stored({ id: `7K3M9Q/${at + 1}`, state: "unknown" })
      : stored({ id: `7K3M9Q/${at + 1}`, state, ...(!open.has(state) && { settledAt }) }),
  );
  return stored({ state: "claimed", parts });
}

describe("which workload comes next", () => {
  test.each<[readonly (ChangeState | "doubted")[], string | undefined]>([
    [["approved", "approved"], "7K3M9Q/1"],
    [["done", "approved"], "7K3M9Q/2"],
    [["done", "claimed", "approved"], "7K3M9Q/2"],
    [["doubted", "approved"], "7K3M9Q/1"],
    [["drifted", "approved"], "7K3M9Q/2"],
    [["done", "failed", "approved"], undefined],
    [["unknown", "approved"], undefined],
    // A replica that is gone had begun it: it is read back, whatever came before.
    [["failed", "claimed"], "7K3M9Q/2"],
    [["done", "done"], undefined],
  ])("%s: %s", (states, next) => {
    expect(nextPart(requestWith(states))?.id).toBe(next);
  });
});

describe("what is sent next", () => {
  const parts = requestWith(["done", "approved"]).parts ?? [];

  test("nothing while a new version before it isn't healthy", () => {
    const [first, second] = parts.map((part) => ({ ...part, verb: "deploy" }));
    if (first === undefined || second === undefined) throw new Error("two parts");
    const healthy = { ...first, health: { kind: "reached", line: "", excerpt: [] } as const };

    expect(nextToSend(stored({ state: "claimed", parts: [first, second] }))).toBeUndefined();
    expect(nextToSend(stored({ state: "claimed", parts: [healthy, second] }))?.id).toBe("7K3M9Q/2");
  });

  test("nothing of what was sent already", () => {
    expect(nextToSend(stored({ state: "claimed" }))).toBeUndefined();
    expect(nextToSend(stored({ state: "approved" }))?.id).toBe("7K3M9Q");
    expect(nextToSend(requestWith(["claimed", "approved"]))).toBeUndefined();
  });
});
