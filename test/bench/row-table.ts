import { table } from "./table.ts";
import type { Row } from "./row.ts";

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function spread({ interval: { low, high } }: Row): string {
  return low === high ? "" : ` (${shown(low)}–${shown(high)})`;
}

export function rowTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const { name, note, unit, ours, base, ratio, goal, isReached } = row;
    return [
      `${isReached ? "  " : "! "}${name}, ${unit}${note === undefined ? "" : ` (${note})`}`,
      base === undefined ? `${shown(ours)}${spread(row)}` : shown(ours),
      base === undefined ? "–" : shown(base),
      ratio === undefined ? "–" : `${shown(ratio)}${spread(row)}`,
      goal,
    ];
  });
  return [
    table([["speed", "Gantry", "baseline", "ratio", "goal"], ...cells]),
    "In brackets: where the median of all rounds lies, with 95 % certainty. A goal is missed when it lies outside of that.",
  ].join("\n");
}

export function missedRows(rows: readonly Row[]): readonly string[] {
  return rows
    .filter(({ isReached }) => !isReached)
    .map(
      ({ name, unit, ours, ratio, goal }) =>
        `${name}: ${ratio === undefined ? `${shown(ours)} ${unit}` : `${shown(ratio)} ×`}, not ${goal}`,
    );
}
