import { expect, test } from "vitest";
import { redactLines } from "../../../src/bot/logs/redact.ts";
import { changeCard } from "../../../src/bot/views/cards/change-card.ts";
import { drawn } from "./support/drawn.ts";
import { ended, names, tookEffect } from "./support/stored-changes.ts";

function failing(log: readonly string[], name = "web") {
  const health = { kind: "trouble", outcome: "keeps crashing", line: "", excerpt: redactLines(log) } as const; // a literal kind
  const workload = { kind: "service", region: "beijing1", name, uid: undefined } as const; // a literal kind
  return ended("done", {
    verb: "deploy",
    ending: tookEffect,
    health,
    workload,
    diff: ["image shop/web:1 → shop/web:2"],
  });
}

/** What the card shows of the log. */
function shown(change: ReturnType<typeof failing>): readonly string[] {
  const lines = drawn(changeCard({ change, canUndo: false, names })).split("\n");
  const from = lines.indexOf("```");
  return from < 0 ? [] : lines.slice(from - 1, lines.lastIndexOf("```") + 1).filter((line) => line !== "```");
}

test("an error that is logged again and again is shown once, with its count", () => {
  const log = ["error: no database at 10.0.0.1", "error: no database at 10.0.0.2", "listening", "error: no disk"];

  expect(shown(failing(log))).toEqual(["Last errors", "no database at 10.0.0.2 (×2)", "no disk"]);
});

test("a long error keeps its count", () => {
  const long = `error: ${"no database ".repeat(40)}`;

  expect(shown(failing([long, long])).at(-1)).toMatch(/^no database .{1,110}… \(×2\)$/u);
});

test("at most three errors are shown, and without any the last three lines, each once", () => {
  expect(shown(failing(["disk", "memory", "network", "clock"].map((each) => `error: no ${each}`)))).toHaveLength(4);
  expect(shown(failing(["one", "two", "three", "three", "four"]))).toEqual(["Last lines", "two", "three", "four"]);
});

test("of several workloads, the errors of the one that fails are shown, with its name", () => {
  const parts = [ended("done", { verb: "deploy", ending: tookEffect }), failing(["error: no database"], "shop")];

  expect(shown({ ...failing([]), parts })).toEqual(["Last errors of shop", "no database"]);
});
