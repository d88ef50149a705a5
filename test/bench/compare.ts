import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Figures } from "./report.ts";
import { table } from "./table.ts";

const Row = z.object({ name: z.string(), unit: z.string(), ours: z.number(), ratio: z.number().optional() });
const Ack = z.object({ name: z.string(), concurrency: z.number(), pooledP99Ratio: z.number() });
const Message = z.object({ name: z.string(), ratio: z.number() });
const Earlier = z.object({
  at: z.string(),
  rows: z.array(Row).readonly(),
  acks: z.array(Ack).readonly(),
  messages: z.array(Message).readonly(),
});

type Compared = Pick<z.infer<typeof Earlier>, "rows" | "acks" | "messages">;

/** The figures of a run by their names: a figure beside a bare app's as their ratio, so that two machines can be compared. */
function byName({ rows, acks, messages }: Compared): ReadonlyMap<string, number> {
  return new Map([
    ...rows.map(({ name, unit, ours, ratio }): [string, number] =>
      ratio === undefined ? [`${name}, ${unit}`, ours] : [`${name}, by its baseline`, ratio],
    ),
    ...acks.map(({ name, concurrency, pooledP99Ratio }): [string, number] => [
      `ack p99 of ${name}, ${concurrency} at a time, by the bare app's`,
      pooledP99Ratio,
    ]),
    ...messages.map(({ name, ratio }): [string, number] => [`${name}, by its two calls`, ratio]),
  ]);
}

/** What has changed since a run whose figures `--json` wrote. Throws an Error with a sentence when there are none in the file. */
export function comparison(figures: Figures, file: string): string {
  const earlier = Earlier.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!earlier.success) throw new Error(`${file} holds no figures of this bench; write one with --json`);
  const before = byName(earlier.data);
  const cells = [...byName(figures)].flatMap(([name, now]) => {
    const then = before.get(name);
    if (then === undefined) return [];
    return [[name, then.toFixed(2), now.toFixed(2), `${((now / then - 1) * 100).toFixed(0)} %`]];
  });
  return table([[`since ${earlier.data.at}`, "then", "now", "change"], ...cells]);
}
