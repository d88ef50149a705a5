import { percentile } from "../stats.ts";
import { peakMb } from "./process-stat.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, type Row } from "./row.ts";

const SERVICES = 10_000;
const AT_ONCE = 16;

/** 16 filtered lists of 10,000 services at once, in a bot of their own: its peak of memory is theirs. */
export async function measureLongLists(rig: Rig): Promise<readonly Row[]> {
  const { pid, port } = await startIn(rig);
  await rig.crowd.ask("says", { port, text: "list services", times: 50, concurrency: 1 });
  await rig.crowd.ask("holds", SERVICES);
  const text = "list services svc-77";
  await rig.crowd.ask("says", { port, text, times: 2, concurrency: 1 });
  const ms: number[] = [];
  for (let repetition = 0; repetition < 2 * rig.repetitions; repetition += 1) {
    ms.push(...(await rig.crowd.ask("says", { port, text, times: AT_ONCE, concurrency: AT_ONCE })).messageMs);
  }
  const peak = peakMb(pid);
  const beside: Row[] = [];
  for (const count of [SERVICES, 3 * SERVICES]) {
    await rig.crowd.ask("holds", count);
    await rig.crowd.ask("says", { port, text: "list services", times: 2, concurrency: 1 });
    const acks = await rig.crowd.ask("acksBeside", { port, text: "list services", times: 5 * rig.repetitions });
    const name = `another person's ack while somebody lists ${count.toLocaleString("en")} services, worst`;
    beside.push(atMost({ name, unit: "ms", ours: Math.max(...acks), note: `of ${acks.length}` }, 20));
  }
  await rig.crowd.ask("holds", 17);
  process.kill(pid);
  return [
    atMost({ name: "16 filtered lists of 10,000 services at once, p99", unit: "ms", ours: percentile(ms, 0.99) }, 800),
    atMost({ name: "their peak of memory", unit: "MB", ours: peak }, 500),
    ...beside,
  ];
}
