import { expect, test } from "vitest";
import type { Undoable } from "../../../../src/bot/commands/command.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";
import { event, waiting } from "../support/stored.ts";

function done(id: string, name: string): Undoable {
  const workload = { kind: "service", region: "beijing1", name, uid: "u1" } as const;
  const change = { ...waiting, id, workload, state: "done", diff: ["instances 2 → 3"] } as const;
  return { change, event: event(700, { kind: "done", changeId: id, workload, request: change }) };
}

const undoable = [done("K7Q2MX", "web"), done("ABC123", "worker")];

test("without a name the newest change is offered, and nothing is undone before the click", async () => {
  expect(drawn(await answerTo("undo", { undoable }))).toMatchInlineSnapshot(`
    "Undo this change?
    🔄 web scaled 2 → 3 · Dana Reyes · 1d ago
    Nothing changes until you click Undo · Request K7Q2MX
    [Undo] [Recent requests]"
  `);
});

test.each([
  ["undo worker", "ABC123"],
  ["undo service/worker", "ABC123"],
  ["undo abc123", "ABC123"],
  ["revert ABC123", "ABC123"],
  ["undo that", "K7Q2MX"],
])("%s offers request %s", async (words, id) => {
  expect(drawn(await answerTo(words, { undoable }))).toContain(`Request ${id}`);
});

test("where nothing can be undone it says so", async () => {
  expect(drawn(await answerTo("undo job/web", { undoable }))).toMatchInlineSnapshot(`
    "None of your latest changes of web can be undone. Nothing was changed.
    A restart, a rollback, a creation and a deletion can't be undone, nor a change of what the workload API didn't report. A change is undone once.
    [Recent requests]"
  `);
});
