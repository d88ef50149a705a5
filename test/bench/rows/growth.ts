import { median } from "../stats.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, type Row } from "./row.ts";

/** The slope of time over size on logarithmic scales: 0 doesn't grow, 1 is linear. */
export function exponentOf(points: readonly (readonly [size: number, ms: number])[]): number {
  const logs = points.map(([size, ms]) => [Math.log(size), Math.log(ms)] as const); // a pair
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const over = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

const SIZES = [100, 1_000, 10_000];

/** A list of 100, 1,000 and 10,000 services, one at a time. */
export async function measureGrowth(rig: Rig): Promise<readonly Row[]> {
  const { pid, port } = await startIn(rig);
  const says = (times: number) => rig.crowd.ask("says", { port, text: "list services", times, concurrency: 1 });
  await says(50);
  const points: [number, number][] = [];
  for (const size of SIZES) {
    await rig.crowd.ask("holds", size);
    await says(3);
    points.push([size, median((await says(5 * rig.repetitions)).messageMs)]);
  }
  await rig.crowd.ask("holds", 17);
  process.kill(pid);
  const each = points.map(([size, ms]) => `${size}: ${ms.toFixed(1)} ms`).join(", ");
  return [atMost({ name: `list by services (${each})`, unit: "exponent", ours: exponentOf(points) }, 1)];
}
