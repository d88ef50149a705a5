import { describe, expect, test } from "vitest";
import type { Health, StoredChange } from "../../../src/bot/changes/stored-change.ts";
import { changeCard } from "../../../src/bot/views/cards/change-card.ts";
import { partsToUndo } from "../../../src/bot/views/cards/several-card.ts";
import { drawn } from "./support/drawn.ts";
import { alex, ended, names, run, stored, tookEffect } from "./support/stored-changes.ts";
import { command } from "./support/workloads.ts";

const restart = { verb: "restart", op: "restartService", diff: [] } as const; // a literal operation
const settledAt = new Date("2026-11-21T12:10:00Z");
const failed = run({ kind: "failed", why: "It is being moved.", next: "Ask again." });
const runs: Health = { kind: "reached", line: "running", excerpt: [] };

function part(name: string, more: Partial<StoredChange> = {}): StoredChange {
  return stored({
    ...restart,
    state: "approved",
    workload: { kind: "service", region: "beijing1", name, uid: "u" },
    ...more,
  });
}
const done = (name: string, health?: Health): StoredChange =>
  part(name, { state: "done", settledAt, ending: tookEffect, health });

/** The first lines of the card: those about the workloads. */
function head(change: StoredChange, lines: number): string {
  const card = changeCard({ change, command, defaultRegion: "beijing1", canUndo: false, names });
  return drawn(card).split("\n").slice(0, lines).join("\n");
}

describe("the card of a request for several workloads", () => {
  test("asks about each of them, and says that it stops at the first failure", () => {
    const parts = [part("web"), part("worker")];

    expect(head(stored({ ...restart, parts, diff: ["queue: nothing to do"] }), 5)).toBe(
      [
        "⏳ Restart web and worker?",
        "• web",
        "• worker",
        "Left out: queue: nothing to do",
        "One after the other. Stops at the first failure.",
      ].join("\n"),
    );
  });

  test("counts more than three of them, and names each", () => {
    const parts = ["a", "b", "c", "d"].map((name) => part(name));

    expect(head(stored({ ...restart, parts }), 5)).toBe("⏳ Restart 4 workloads?\n• a\n• b\n• c\n• d");
  });

  test("names more than ten in one line", () => {
    const parts = Array.from({ length: 12 }, (_, at) => part(`w${at}`));

    expect(head(stored({ ...restart, parts }), 2)).toMatch(/^⏳ Restart 12 workloads\?\nw0, w1, .*w10 and w11$/u);
  });

  test("shows a workload that somebody changed again as changed, not as unhealthy", () => {
    const changed: Health = {
      kind: "not-yet",
      level: "busy",
      outcome: "was changed again meanwhile",
      line: "",
      excerpt: [],
    };
    const deleted: Health = {
      ...changed,
      outcome: undefined,
      gone: "deleted",
      line: "1 of 1 ready · deleted meanwhile",
    };
    const restarts = [done("web", runs), done("worker", changed)];
    const deploy = { verb: "deploy", op: "updateService", diff: ["image app:1 → app:2"] } as const; // a literal operation
    const deploys = [
      { ...done("web", runs), ...deploy },
      { ...done("worker", deleted), ...deploy },
    ];

    expect(head(ended("done", { ...restart, settledAt, parts: restarts }), 3)).toBe(
      "⚪️ 2 of 2 restarted: worker was changed again meanwhile\n🟢 web · running\n⚪️ worker · was changed again meanwhile",
    );
    expect(head(ended("done", { ...deploy, settledAt, parts: deploys }), 3)).toBe(
      "⚪️ 1 of 2 deployed: worker was deleted meanwhile\n🟢 web · runs :2 · running\n⚪️ worker · was deleted meanwhile",
    );
  });

  test("says the same of a deleted workload in its headline and beside it", () => {
    const deleted: Health = { kind: "not-yet", gone: "deleted", outcome: "starts slowly", line: "", excerpt: [] };

    expect(head(ended("done", { ...restart, settledAt, parts: [done("web", runs), done("worker", deleted)] }), 3)).toBe(
      "⚪️ 2 of 2 restarted: worker was deleted meanwhile\n🟢 web · running\n⚪️ worker · was deleted meanwhile",
    );
  });

  test("stays amber beside a changed workload while it watches another", () => {
    const changed: Health = { kind: "not-yet", outcome: "was changed again meanwhile", line: "", excerpt: [] };

    expect(head(ended("done", { ...restart, parts: [done("web"), done("worker", changed)] }), 1)).toMatch(/^🟡 /u);
  });

  test("shows how far it is", () => {
    const parts = [done("web"), part("worker", { state: "claimed" }), part("queue")];

    expect(head(stored({ ...restart, state: "claimed", parts }), 4)).toBe(
      "🔄 Restarting 2 of 3…\n🟡 web\n🔄 worker\n⏳ queue",
    );
  });

  test("is amber while it watches one of them", () => {
    const progress: Health = {
      kind: "watching",
      level: "healthy",
      line: "1 of 1 ready, watching for 60 s",
      excerpt: [],
    };
    const parts = [done("web", runs), { ...done("worker"), progress }];

    expect(head(ended("done", { ...restart, parts, ending: tookEffect }), 3)).toBe(
      "🟡 2 of 2 restarted\n🟢 web · running\n🟡 worker · 1 of 1 ready, watching for 60 s",
    );
  });

  test("is amber while what still fails may get healthy", () => {
    const progress: Health = { kind: "watching", level: "failing", line: "0 of 1 running", excerpt: [] };
    const parts = [done("web", runs), { ...done("worker"), progress }];

    expect(head(ended("done", { ...restart, parts, ending: tookEffect }), 3)).toBe(
      "🟡 2 of 2 restarted\n🟢 web · running\n🟡 worker · 0 of 1 running",
    );
  });

  test("is never better than the worst of them", () => {
    const crashing: Health = { kind: "trouble", line: "6 restarts in 4 min", excerpt: [] };
    const parts = [done("web", runs), done("worker", crashing)];

    expect(head(ended("done", { ...restart, parts, ending: tookEffect }), 3)).toBe(
      "🔴 2 of 2 restarted: worker is failing\n🟢 web · running\n🔴 worker · 6 restarts in 4 min",
    );
  });

  test("tells what failed and what was not run, and offers those", () => {
    const parts = [
      done("web", runs),
      part("worker", { state: "failed", claimedAt: settledAt, settledAt, ending: failed }),
      part("queue", { state: "cancelled", settledAt }),
    ];
    const change = ended("failed", { ...restart, parts, ending: failed });

    expect(head(change, 4)).toBe(
      "❌ 1 of 3 restarted: worker failed\n🟢 web · running\n❌ worker · It is being moved.\n▫️ queue · not run",
    );
    expect(head(change, 99)).toContain("[Request the other 2]");
  });

  test("undoes only what still applies: not one that went back already, nor one that was deleted", () => {
    const parts = [
      done("web", runs),
      { ...done("worker", runs), isUndone: true },
      done("queue", { ...runs, gone: "deleted" }),
      part("cron", { state: "cancelled", settledAt }),
    ];

    expect(partsToUndo({ parts }).map(({ workload }) => workload.name)).toEqual(["web"]);
  });

  test("that expired offers all of them again, or those that still exist", () => {
    const deleted: Health = { kind: "unwatched", gone: "deleted", line: "", excerpt: [] };
    const parts = ["web", "worker", "queue"].map((name) => part(name, { state: "expired", settledAt }));
    const left = parts.map((each, at) => (at === 2 ? { ...each, health: deleted } : each));

    expect(head(ended("expired", { ...restart, parts }), 99)).toContain("[Request again]");
    expect(head(ended("expired", { ...restart, parts: left }), 99)).toContain("[Request the other 2]");
  });

  test("of a new version says which one each runs", () => {
    const diff = ["image shop/web:1.4 → shop/web:1.5", "stays as it is if the new instances don't get ready"];
    const deploy = { verb: "deploy", op: "updateService", diff } as const; // a literal operation
    const stuck: Health = { kind: "trouble", outcome: "its new instances don't get ready", line: "", excerpt: [] };
    const parts = [
      { ...done("web", runs), ...deploy },
      { ...done("worker", stuck), ...deploy },
      { ...part("queue", { state: "cancelled", settledAt }), ...deploy },
    ];

    expect(
      head(stored({ ...deploy, diff: [], parts: parts.map((each) => ({ ...each, ...part("a"), ...deploy })) }), 5),
    ).toBe(
      [
        "⏳ Deploy :1.5 to a, a and a?",
        ...parts.map(() => "• a · shop/web:1.4 → :1.5"),
        "One after the other, each when the one before is healthy. Stops at the first that doesn't get ready, which then stays as it is.",
      ].join("\n"),
    );
    expect(head(ended("failed", { ...deploy, diff: [], parts, ending: failed }), 4)).toBe(
      "🔴 1 of 3 deployed: worker isn't healthy\n🟢 web · runs :1.5 · running\n🔴 worker · :1.5: its new instances don't get ready\n▫️ queue · not run, still on :1.4",
    );
  });

  test("refused before the first one, says why", () => {
    const parts = [part("web", { state: "cancelled", settledAt }), part("worker", { state: "cancelled", settledAt })];
    const change = ended("failed", { ...restart, parts, ending: failed, votes: [alex] });

    expect(head(change, 5)).toBe(
      "❌ Nothing was restarted\n▫️ web · not run\n▫️ worker · not run\nIt is being moved.\nNothing was changed. Ask again.",
    );
  });
});
