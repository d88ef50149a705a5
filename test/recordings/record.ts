import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Recorded } from "../support/recording.ts";

/**
 * `npm run record`: what the workload API answers in the stories of changes and watches, as lines for
 * `test/bot/changes/replay.test.ts`. Run it after a change of these stories, and look at what differs.
 */

const stories = globSync("test/{bot/changes,flows/changing,flows/watching}/**/*.test.ts", {
  // One reads the recordings; the other tells of rights, and its workloads only change so that there is something to tell.
  exclude: ["**/replay.test.ts", "**/every-right.test.ts"],
});
/** What differs in time by less is the same. */
const TOLERANCE_MS = 5_000;
const folder = import.meta.dirname;
const raw = mkdtempSync(join(tmpdir(), "gantry-record-"));

const { status } = spawnSync("vitest", ["run", "--project", "gantry", ...stories], {
  env: { ...process.env, GANTRY_RECORD: raw },
  stdio: "inherit",
});
if (status === 0) keep();
rmSync(raw, { recursive: true });
process.exitCode = status ?? 1;

/** Keeps each sequence once: one answer alone, and the same again in another test, show nothing more. */
function keep(): void {
  for (const old of globSync(join(folder, "*.jsonl"))) rmSync(old);
  const known = new Set<string>();
  for (const file of globSync(join(raw, "*.jsonl")).toSorted()) {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const all = lines.map((line) => JSON.parse(line) as Recorded); // written by test/support/recording.ts
    const names = new Map<string, number>();
    const kept = [...Map.groupBy(all, ({ story }) => story)].flatMap(([story, told]) => {
      const shape = shapeOf(told);
      if (told.length < 2 || known.has(shape)) return [];
      known.add(shape);
      const name = story.split(" > ").at(-1) ?? story;
      const times = (names.get(name) ?? 0) + 1;
      names.set(name, times);
      return told.map((line) => ({ ...line, story: times === 1 ? name : `${name} (${times})` }));
    });
    if (kept.length === 0) continue;
    writeFileSync(join(folder, basename(file)), kept.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

/** Without what differs each time: the workload's name, its uid, times. */
function shapeOf(told: readonly Recorded[]): string {
  const begun = told[0]?.ms ?? 0;
  const name = told[0]?.story.split(" ").at(-1) ?? "";
  return JSON.stringify(told.map(({ story: _story, ms, ...line }) => [Math.floor((ms - begun) / TOLERANCE_MS), line]))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "uid")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "time")
    .replaceAll(name, "name");
}
