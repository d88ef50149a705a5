import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Mutant } from "./mutants.ts";
import type { Place } from "./tree.ts";

const stored = new URL("catchers.json", import.meta.url);

/** By bug, the test that caught it when this was recorded. It may be gone by now, or have another title. */
export function readCatchers(): ReadonlyMap<string, Place> {
  if (!existsSync(stored)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(stored, "utf8")) as Record<string, Place>)); // written below
}

/** Keeps those of the mutants that weren't tried. */
export function writeCatchers(caught: ReadonlyMap<Mutant, Place>): void {
  const entries = [...readCatchers(), ...[...caught].map(([{ bug }, place]) => [bug, place] as const)];
  writeFileSync(
    stored,
    `${JSON.stringify(Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))), undefined, 2)}\n`,
  );
}
