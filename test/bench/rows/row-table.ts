import { table } from "../table.ts";
import type { Row } from "./row.ts";

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

export function rowTable(rows: readonly Row[]): string {
  const cells = rows.map(({ name, note, unit, ours, base, goal, isReached }) => [
    `${isReached ? "  " : "! "}${name}, ${unit}${note === undefined ? "" : ` (${note})`}`,
    shown(ours),
    base === undefined ? "–" : shown(base),
    base === undefined ? "–" : (ours / base).toFixed(2),
    goal,
  ]);
  return table([["speed", "Gantry", "bare app", "ratio", "goal"], ...cells]);
}

export function missedRows(rows: readonly Row[]): readonly string[] {
  return rows
    .filter(({ isReached }) => !isReached)
    .map(({ name, unit, ours, goal }) => `${name}: ${shown(ours)} ${unit}, not ${goal}`);
}
