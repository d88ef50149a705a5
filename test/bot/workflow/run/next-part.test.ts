import { describe, expect, test } from "vitest";
import type { ChangeState, StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import { nextPart } from "../../../../src/bot/workflow/run/run.ts";
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

describe("after a new version", () => {
  const [first, second] = (requestWith(["done", "approved"]).parts ?? []).map((part) => ({ ...part, verb: "deploy" }));
  if (first === undefined || second === undefined) throw new Error("two parts");
  const seen = (kind: "reached" | "trouble" | "watching"): StoredChange => ({
    ...first,
    progress: { kind, line: "", excerpt: [] },
  });

  test.each<[string, StoredChange, string | undefined]>([
    ["isn't polled yet: it waits for it", first, "7K3M9Q/1"],
    ["is starting: it waits for it", seen("watching"), "7K3M9Q/1"],
    ["is healthy: the next one", seen("reached"), "7K3M9Q/2"],
    ["is in trouble: none", seen("trouble"), undefined],
    ["never got healthy: none", { ...first, health: { kind: "not-yet", line: "", excerpt: [] } }, undefined],
    ["couldn't start in time: none", { ...first, state: "expired" }, undefined],
  ])("that %s", (_, part, next) => {
    expect(nextPart(stored({ state: "claimed", parts: [part, second] }))?.id).toBe(next);
  });
});
