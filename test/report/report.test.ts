import { expect, test } from "vitest";
import { pageOf, type Report } from "./page.ts";
import { parts } from "./parts.ts";
import { type Outcome, runCommand } from "./run-command.ts";

const longestMs = 120_000;

function pageWith(outcomes: readonly Outcome[]): string {
  const entries = parts.map((part, index) => ({
    part,
    command: part.quick,
    outcome: outcomes[index] ?? ({ kind: "not run", why: "nobody asked for it" } as const),
  }));
  const report: Report = {
    date: "2026-11-26 11:00 UTC",
    commit: "abc1234",
    machine: "two cores, load average 3.0",
    isQuick: true,
    entries,
  };
  return pageOf(report);
}

test("the page says of every part whether it passed, failed or wasn't run, and how to run it", async () => {
  const passed = await runCommand("echo '21 requests, 0 failures'", { longestMs });
  const failed = await runCommand("echo 'found: a lost answer'; exit 3", { longestMs });
  const page = pageWith([passed, failed]);

  expect(page.match(/^\| .* \| Passed \| \d+ s \|$/gmu)).toHaveLength(1);
  expect(page.match(/^\| .* \| \*\*Failed\*\* \| \d+ s \|$/gmu)).toHaveLength(1);
  expect(page.match(/^\| .* \| \*\*Not run\*\*: nobody asked for it \| – \|$/gmu)).toHaveLength(parts.length - 2);
  expect(page).not.toContain("21 requests");
  expect(page).toContain("**Failed**: it ended with 3.\n\n```text\nfound: a lost answer\n```");
  for (const { title, quick } of parts) {
    expect(page).toContain(`**${title}.**`);
    expect(page).toContain(`\`${quick}\``);
  }
});

test("a part that can't be started has failed", async () => {
  expect(await runCommand("no-such-program-of-gantry", { longestMs })).toMatchObject({ kind: "failed" });
});

test("a part that hangs is ended, and has failed", async () => {
  expect(await runCommand("echo begun; sleep 600", { longestMs: 1_500 })).toMatchObject({
    kind: "failed",
    why: "it was ended after 0.025 minutes",
    printed: ["begun"],
  });
});

test("what a part printed doesn't name the folder of the machine", async () => {
  expect(await runCommand("echo $PWD/test", { longestMs })).toMatchObject({ printed: ["./test"] });
});
