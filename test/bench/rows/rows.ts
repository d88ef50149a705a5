import type { Options } from "../options.ts";
import { measureReadsBehind, measureScales } from "./changes.ts";
import { measureCrowdMemory } from "./crowd-memory.ts";
import { measureGrowth } from "./growth.ts";
import { measureHistory, measureHistoryGrowth } from "./history.ts";
import { measureLists } from "./lists.ts";
import { measureLongLists } from "./long-lists.ts";
import { measurePending } from "./pending.ts";
import { measureRedaction } from "./redaction.ts";
import { openRig, type Rig } from "./rig.ts";
import type { Row } from "./row.ts";
import { measureStart } from "./start.ts";

type Case = { readonly name: string; readonly measure: (rig: Rig) => Promise<readonly Row[]> };

/** By what `--only` looks at. */
const cases: readonly Case[] = [
  { name: "speed: start", measure: measureStart },
  { name: "speed: lists", measure: measureLists },
  { name: "speed: reads behind scales", measure: measureReadsBehind },
  { name: "speed: scales", measure: measureScales },
  { name: "speed: long lists", measure: measureLongLists },
  { name: "speed: memory", measure: measureCrowdMemory },
  { name: "speed: growth", measure: measureGrowth },
  { name: "speed: redaction", measure: async ({ repetitions }) => measureRedaction(repetitions) },
  { name: "speed: history", measure: ({ repetitions }) => measureHistory(repetitions) },
  { name: "speed: history growth", measure: ({ repetitions }) => measureHistoryGrowth(repetitions) },
  { name: "speed: pending", measure: ({ repetitions }) => measurePending(repetitions) },
];

export async function measureRows(options: Options, onCase: (name: string) => void): Promise<readonly Row[]> {
  const chosen = cases.filter(({ name }) => name.includes(options.only));
  if (chosen.length === 0) return [];
  const rig = await openRig(options);
  const rows: Row[] = [];
  for (const { name, measure } of chosen) {
    onCase(name);
    rows.push(...(await measure(rig)));
  }
  return rows;
}
