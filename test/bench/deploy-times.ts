import { median, medianInterval } from "./stats.ts";
import { table } from "./table.ts";

/** How long deploys of three instances took, each by the tool right before the one by the engine. */
export type DeployTimes = { readonly tool: readonly number[]; readonly engine: readonly number[] };

/** With the interval in which the median lies with 95 % certainty; the ratio is that of each pair. */
export function deployTable({ tool, engine }: DeployTimes, toolName: string): string {
  const ratios = engine.map((ms, at) => ms / (tool[at] ?? Number.NaN));
  const row = (name: string, values: readonly number[], digits: number): string[] => {
    const { low, high } = medianInterval(values);
    return [name, ...[median(values), low, high].map((value) => value.toFixed(digits))];
  };
  return table([
    ["deploy of 3 instances, ms", "median", "low", "high"],
    row(toolName, tool, 0),
    row("updateService, until the rollout is done", engine, 0),
    row("the ratio of each pair", ratios, 2),
  ]);
}
