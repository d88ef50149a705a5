import { measureAcks, measureRefresh } from "./acks.ts";
import { measureReadsBehind, measureScales, measureUncountedScales } from "./changes.ts";
import { measureCrowdMemory } from "./crowd-memory.ts";
import { measureHistory } from "./history.ts";
import { measureLists } from "./lists.ts";
import { measureHugeList, measureLongLists, measureManyLists, measureManyWorkloads } from "./long-lists.ts";
import { measureRedaction } from "./redaction.ts";
import { openRig, type Rig } from "./rig.ts";
import type { Row } from "./row.ts";
import { measureStart } from "./start.ts";
import { measureQuietWatches, measureStorm, measureStormTold } from "./storm.ts";
import { measureWorkspaces } from "./workspaces.ts";

type Case = {
  readonly name: string;
  readonly measure: (rig: Rig) => Promise<readonly Row[]>;
  /** Longer than some seconds. */
  readonly isSlow?: boolean;
};

/** By what `--only` looks at. */
const cases: readonly Case[] = [
  { name: "speed: start", measure: measureStart },
  { name: "speed: lists", measure: measureLists },
  { name: "speed: reads behind scales", measure: measureReadsBehind },
  { name: "speed: scales", measure: measureScales },
  { name: "speed: uncounted scales", measure: measureUncountedScales },
  { name: "speed: workspaces", measure: measureWorkspaces },
  { name: "speed: long lists", measure: measureLongLists, isSlow: true },
  { name: "speed: many workloads", measure: measureManyWorkloads },
  { name: "speed: many lists", measure: measureManyLists, isSlow: true },
  { name: "speed: a huge list", measure: measureHugeList, isSlow: true },
  { name: "speed: a storm", measure: measureStorm, isSlow: true },
  { name: "speed: watches, a storm is told", measure: measureStormTold, isSlow: true },
  { name: "speed: watches, nothing happens", measure: measureQuietWatches, isSlow: true },
  { name: "speed: memory", measure: measureCrowdMemory, isSlow: true },
  { name: "speed: history", measure: ({ repetitions }) => measureHistory(repetitions), isSlow: true },
  { name: "speed: redaction", measure: async ({ repetitions }) => measureRedaction(repetitions) },
  { name: "acks", measure: measureAcks },
  { name: "refresh", measure: measureRefresh },
];

type Wanted = { readonly only: string; readonly isQuick: boolean; readonly repetitions: number };

export async function measureRows(wanted: Wanted, onCase: (name: string) => void): Promise<readonly Row[]> {
  const { only, isQuick } = wanted;
  const chosen = cases.filter(({ name, isSlow }) => name.includes(only) && !(isQuick && isSlow === true));
  if (chosen.length === 0) return [];
  const rig = await openRig(wanted);
  const rows: Row[] = [];
  for (const { name, measure } of chosen) {
    onCase(name);
    rows.push(...(await measure(rig)));
  }
  return rows;
}
