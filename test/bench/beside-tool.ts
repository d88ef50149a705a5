import { median, medianInterval } from "./stats.ts";
import { table } from "./table.ts";

/** How often each is measured. */
const TIMES = 7;

type Way = (n: number) => Promise<unknown>;

/** Milliseconds, each by the tool right before the one by the engine. */
export type Pairs = { readonly tool: readonly number[]; readonly engine: readonly number[] };

/** What a tool and the engine do, in turn. */
export async function besideTool(ways: { readonly tool: Way; readonly engine: Way }): Promise<Pairs> {
  const pairs = { tool: new Array<number>(), engine: new Array<number>() };
  for (let n = 0; n < TIMES; n += 1) {
    pairs.tool.push(await timed(() => ways.tool(n)));
    pairs.engine.push(await timed(() => ways.engine(n)));
  }
  return pairs;
}

export async function timed(action: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await action();
  return performance.now() - since;
}

/** Medians; the ratio is that of each pair, with the interval in which its median lies with 95 % certainty. */
export function besideToolTable(rows: readonly (readonly [what: string, pairs: Pairs])[]): string {
  const cells = rows.map(([what, { tool, engine }]) => {
    const ratios = engine.map((ms, at) => ms / (tool[at] ?? Number.NaN));
    const { low, high } = medianInterval(ratios);
    const ratio = `${median(ratios).toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
    return [what, median(tool).toFixed(0), median(engine).toFixed(0), ratio];
  });
  return table([["ms", "tool", "engine", "ratio"], ...cells]);
}
