import { readFileSync } from "node:fs";
import { z } from "zod";
import { table } from "./table.ts";

const Compared = z.object({ name: z.string(), unit: z.string(), ours: z.number(), ratio: z.number().optional() });
const Earlier = z.object({ at: z.string(), rows: z.array(Compared).readonly() });

/** The figures of a run by their names: a figure beside a bare app's as their ratio, so that two machines can be compared. */
function byName(rows: readonly z.infer<typeof Compared>[]): ReadonlyMap<string, number> {
  return new Map(
    rows.map(({ name, unit, ours, ratio }) =>
      ratio === undefined ? [`${name}, ${unit}`, ours] : [`${name}, by its baseline`, ratio],
    ),
  );
}

/** What has changed since a run whose figures `--json` wrote. Throws an Error with a sentence when there are none in the file. */
export function comparison(rows: readonly z.infer<typeof Compared>[], file: string): string {
  const earlier = Earlier.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!earlier.success) throw new Error(`${file} holds no figures of this bench; write one with --json`);
  const before = byName(earlier.data.rows);
  const cells = [...byName(rows)].flatMap(([name, now]) => {
    const then = before.get(name);
    if (then === undefined) return [];
    return [[name, then.toFixed(2), now.toFixed(2), `${((now / then - 1) * 100).toFixed(0)} %`]];
  });
  return table([[`since ${earlier.data.at}`, "then", "now", "change"], ...cells]);
}
