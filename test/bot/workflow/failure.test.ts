import { pino } from "pino";
import { expect, test } from "vitest";
import { Problem } from "../../../src/api/problem.ts";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { StoreError, UserError } from "../../../src/bot/errors.ts";
import { failureMessage } from "../../../src/bot/workflow/reply.ts";
import { drawn } from "../views/support/drawn.ts";

/** What a person reads who listed services when this was thrown, and what the log has. */
function failed(error: unknown) {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const deps = { settings: readConfig({}).settings, log };
  const told = drawn(failureMessage(deps, error, { verb: "list", effect: "read" }));
  const [, reference = "none was told"] = /Reference (\w{8})/u.exec(told) ?? [];
  return { told, reference, log: lines.join("") };
}

function problem(kind: "refused" | "aborted", sentence: string): Problem {
  return new Problem({ kind, op: "listServices", status: 400, maybeSent: false, sentence, next: "Fix it." });
}

test("what the workload API refuses is told in its words, with the reference that the log has", () => {
  const { told, log, reference } = failed(problem("refused", "unknown region atlantis."));

  expect(told).toBe(`❌ unknown region atlantis.\nFix it.\nHTTP 400 · Reference ${reference}`);
  expect(log).toContain(reference);
});

test("a read that was stopped isn't told as one that failed", () => {
  expect(failed(problem("aborted", "Stopped.")).told).not.toContain("❌");
});

test("a mistake is told as it is, and what was typed isn't logged", () => {
  const { told, log } = failed(new UserError("I don't know hunter2."));

  expect(told).toContain("I don't know hunter2.");
  expect(log).not.toContain("hunter2");
});

test("a database that is away is told as that, and anything else is a bug, whose stack is in the log and not shown", () => {
  const away = failed(new StoreError("Gantry's database can't be used."));
  const bug = failed(new Error("a secret detail"));

  expect(away.told).toContain("database");
  expect(away.log).toContain(away.reference);
  expect(bug.told).toContain("Something went wrong in Gantry");
  expect(bug.told).not.toContain("detail");
  expect(bug.log).toMatch(/a secret detail[^]*failure\.test\.ts/u);
  expect(bug.log).toContain(bug.reference);
});

test("what a person reads of an outage is in the log with its reason", () => {
  const cause = new StoreError("Gantry's database can't be used.", { why: "the disk is full" });
  const { told, log } = failed(new UserError("I can't look up your account.", { cause }));

  expect(told).toContain("I can't look up your account.");
  expect(told).not.toContain("disk");
  expect(JSON.parse(log)).toMatchObject({ level: 40, verb: "list", reason: "the database: the disk is full" });
});
