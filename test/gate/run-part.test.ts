import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fullParts, gateParts, type Part, type Tests } from "./parts.ts";
import { quarantine, type Quarantined } from "./quarantine.ts";
import { type Execute, faultsOf, MOST_REPEATED, type PartResult, runPart } from "./run-part.ts";
import { ledgerLine, summaryOf } from "./summary.ts";

const root = join(import.meta.dirname, "../..");

/** The results of each test in successive runs: "p" passes, "f" fails, "s" is skipped, "x": its file can't be loaded. */
type Script = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Runs these tests as Vitest would, and reports each of their files. */
function vitestOf(script: Script, more: { readonly output?: string; readonly code?: number } = {}) {
  const runs: string[] = [];
  const times = new Map<string, number>();
  const execute: Execute = async (words) => {
    const report = words.find((word) => word.startsWith("report="))?.slice("report=".length) ?? "";
    const only = words.find((word) => word.startsWith("file="))?.slice("file=".length);
    runs.push(only ?? "all");
    const files = Object.entries(script).filter(([file]) => only === undefined || file === only);
    const testResults = files.map(([file, tests]) => {
      const turn = times.get(file) ?? 0;
      times.set(file, turn + 1);
      const now = Object.entries(tests).map(([fullName, verdicts]) => [fullName, verdicts[turn] ?? "p"] as const); // a pair
      if (now.some(([, verdict]) => verdict === "x")) {
        return { name: join(root, file), status: "failed", message: "no such import", assertionResults: [] };
      }
      const assertionResults = now.map(([fullName, verdict]) => {
        const status = { p: "passed", f: "failed", s: "pending" }[verdict] ?? "";
        return { fullName, status, failureMessages: verdict === "f" ? [`${fullName} said no`] : [] };
      });
      const hasFailed = assertionResults.some(({ status }) => status === "failed");
      return { name: join(root, file), status: hasFailed ? "failed" : "passed", message: "", assertionResults };
    });
    writeFileSync(report, JSON.stringify({ testResults }));
    const hasFailed = testResults.some(({ status }) => status === "failed");
    return { code: more.code ?? (hasFailed ? 1 : 0), output: more.output ?? "" };
  };
  return { execute, runs };
}

const step: Tests = {
  kind: "tests",
  name: "npm test",
  command: (report, file) => [`report=${report}`, ...(file === undefined ? [] : [`file=${file}`])],
  env: {},
  maySkip: false,
};

async function outcomeOf(
  { execute }: { readonly execute: Execute },
  { quarantined = [], ...more }: Partial<Tests> & { readonly quarantined?: readonly Quarantined[] } = {},
): Promise<PartResult> {
  const part: Part = { name: "stories", budget: 10, needs: [], steps: [{ ...step, ...more }] };
  return await runPart(part, { execute, quarantine: quarantined });
}

const titles = (faults: readonly { readonly title: string }[]) => faults.map(({ title }) => title);

describe("a test that fails", () => {
  test("once, and passes when its file is repeated alone, is flaky and counts as passed", async () => {
    const vitest = vitestOf({ "test/a.test.ts": { one: "p", two: "fp" }, "test/b.test.ts": { three: "p" } });

    const result = await outcomeOf(vitest);

    expect(vitest.runs).toEqual(["all", "test/a.test.ts"]);
    expect(result).toMatchObject({ passed: 3, failed: [] });
    expect(titles(result.flaky)).toEqual(["test/a.test.ts: two"]);
  });

  test("twice is red, with what it said", async () => {
    const vitest = vitestOf({ "test/a.test.ts": { one: "p", two: "ff" } });

    const result = await outcomeOf(vitest);

    expect(result).toMatchObject({ passed: 1, flaky: [] });
    expect(result.failed).toEqual([
      {
        title: "test/a.test.ts: two",
        said: "two said no\nIt failed again when its file was repeated alone.",
      },
    ]);
  });

  test("and isn't there when its file is repeated has not passed", async () => {
    const result = await outcomeOf(vitestOf({ "test/a.test.ts": { one: "p", two: "fs" } }));

    expect(titles(result.failed)).toEqual(["test/a.test.ts: two"]);
  });

  test("only when its file is repeated is flaky, too", async () => {
    const result = await outcomeOf(vitestOf({ "test/a.test.ts": { one: "pf", two: "fp" } }));

    expect(result).toMatchObject({ passed: 2, failed: [] });
    expect(titles(result.flaky)).toEqual(["test/a.test.ts: two", "test/a.test.ts: one"]);
  });

  test("after its file could not be loaded at first is red: it never passed", async () => {
    const result = await outcomeOf(vitestOf({ "test/a.test.ts": { one: "xp", two: "xf" } }));

    expect(titles(result.flaky)).toEqual(["test/a.test.ts"]);
    expect(titles(result.failed)).toEqual(["test/a.test.ts: two"]);
  });

  test("in more files than an accident breaks is not repeated", async () => {
    const files = Array.from({ length: MOST_REPEATED + 1 }, (_, at) => [`test/${at}.test.ts`, { one: "fp" }]);
    const vitest = vitestOf(Object.fromEntries(files) as Script); // of such entries

    const result = await outcomeOf(vitest);

    expect(vitest.runs).toEqual(["all"]);
    expect(result.failed).toHaveLength(MOST_REPEATED + 1);
  });

  test("twice and is quarantined counts neither way, and is named with the reason", async () => {
    const entry = { test: "test/a.test.ts: two", reason: "the proxy drops a connection", since: "2026-11-29" };

    const result = await outcomeOf(vitestOf({ "test/a.test.ts": { one: "p", two: "ff" } }), { quarantined: [entry] });

    expect(result).toMatchObject({ passed: 1, failed: [], flaky: [] });
    expect(result.quarantined).toEqual([
      { title: "test/a.test.ts: two", said: "since 2026-11-29: the proxy drops a connection" },
    ]);
  });
});

describe("a run is red", () => {
  test("when an error came from outside of its tests, though all of them passed", async () => {
    const result = await outcomeOf(vitestOf({ "test/a.test.ts": { one: "p" } }, { code: 1, output: "Unhandled" }));

    expect(result.failed).toEqual([{ title: "npm test", said: "errors outside of tests\nUnhandled" }]);
  });

  test("when such an error hides behind a flaky test", async () => {
    const vitest = vitestOf(
      { "test/a.test.ts": { one: "fp" } },
      { output: "      Tests  1 failed\n     Errors  1 error\n" },
    );

    expect(titles((await outcomeOf(vitest)).failed)).toContain("npm test");
  });

  test("when it ran no test", async () => {
    expect((await outcomeOf(vitestOf({}))).failed).toEqual([{ title: "npm test", said: "no test ran" }]);
  });

  test("when it ended before it wrote its results", async () => {
    const execute: Execute = async () => ({ code: 137, output: "Killed\n" });

    expect((await outcomeOf({ execute })).failed).toEqual([{ title: "npm test", said: "no results\nKilled" }]);
  });

  test("when it skipped a test whose needs were installed", async () => {
    const script = { "test/a.test.ts": { one: "p", two: "s" } };

    expect(titles((await outcomeOf(vitestOf(script))).failed)).toEqual(["npm test"]);
    expect((await outcomeOf(vitestOf(script), { maySkip: true })).failed).toEqual([]);
  });

  test("when a script fails: what it found and how it ended are shown", async () => {
    const execute: Execute = async () => ({ code: 1, output: "  ! a write came twice\nround 7\nThe end\n" });
    const part: Part = { name: "kill", budget: 10, needs: [], steps: [{ kind: "script", name: "test:kill" }] };

    const { passed, failed } = await runPart(part, { execute, quarantine: [] });

    expect({ passed, failed }).toEqual({
      passed: 0,
      failed: [
        { title: "npm run test:kill", said: "  ! a write came twice\n  ! a write came twice\nround 7\nThe end" },
      ],
    });
  });
});

describe("the quarantine", () => {
  const entry: Quarantined = { test: "test/a.test.ts: one", reason: "unknown", since: "2026-11-29" };

  test("holds five tests, and the sixth is red", () => {
    expect(faultsOf([entry, entry, entry, entry, entry])).toEqual([]);
    expect(faultsOf([entry, entry, entry, entry, entry, entry])).toHaveLength(1);
  });

  test("as it is has room, and each test has a reason and a date", () => {
    expect(faultsOf(quarantine)).toEqual([]);
    for (const { reason, since } of quarantine) {
      expect(reason).not.toBe("");
      expect(since).toMatch(/^\d{4}-\d\d-\d\d$/u);
    }
  });
});

const result: PartResult = {
  name: "npm test",
  budget: 100,
  seconds: 90,
  load: 2.5,
  passed: 8_480,
  failed: [],
  flaky: [{ title: "test/a.test.ts: two", said: "expected 3\nto be 4" }],
  quarantined: [],
};

describe("the summary", () => {
  test("has each part's seconds beside its budget, what was flaky, and ends with what passed and failed", () => {
    const failed = [{ title: "npm run lint", said: "one fault\n\nin a file" }];
    const lines = summaryOf(
      [
        { ...result, name: "smoke", seconds: 101, passed: 6, failed, flaky: [] },
        result,
        { name: "kubernetes", notRun: "there is no cluster" },
      ],
      193,
    );

    expect(lines).toMatchInlineSnapshot(`
      "  101 s of  100, over      6 passed    1 failed  smoke
          npm run lint
            one fault
            in a file
         90 s of  100         8480 passed    0 failed  npm test (1 flaky)
      not run: kubernetes: there is no cluster
        193 s of  200        in all
      1 flaky: failed once, and passed when its file was repeated alone
          test/a.test.ts: two
            expected 3
      8486 passed, 1 failed
      "
    `);
  });

  test("a line of the ledger has commit, part, seconds, load, and what failed and was flaky", () => {
    expect(ledgerLine("8b7f01be", result)).toBe(
      `{"commit":"8b7f01be","part":"npm test","seconds":90,"load":2.5,"passed":8480,"failed":[],"flaky":["test/a.test.ts: two"]}\n`,
    );
    expect(ledgerLine("8b7f01be", { name: "image", notRun: "there is no program dockerd" })).toBe(
      `{"commit":"8b7f01be","part":"image","notRun":"there is no program dockerd"}\n`,
    );
  });
});

describe("the parts", () => {
  test("of the gate take at most twelve minutes together with npm ci, and start no daemon and no cluster", () => {
    const parts = gateParts("8b7f01be");

    expect(parts.reduce((sum, { budget }) => sum + budget, 40)).toBeLessThanOrEqual(12 * 60);
    expect(parts.flatMap(({ needs }) => needs)).not.toEqual(expect.arrayContaining(["docker", "podman", "cluster"]));
  });

  test("other commits are killed at other points, and one at the same ones each time", () => {
    const kills = (commit: string) => JSON.stringify(gateParts(commit).find(({ name }) => name === "kill tests"));

    expect(kills("8b7f01be")).toBe(kills("8b7f01be"));
    expect(kills("8b7f01be")).not.toBe(kills("6d38a8ea"));
    expect(kills("")).toContain("--seed 1");
  });

  test("of the full run each have a name of their own", () => {
    const names = fullParts.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
