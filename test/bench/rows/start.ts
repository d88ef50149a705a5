import { setTimeout as sleep } from "node:timers/promises";
import { rssMb } from "../memory.ts";
import { median } from "../stats.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, atMostBy, type Row } from "./row.ts";

const SETTLES_MS = 1_000;

/** From the start of the process until it is ready, after one start that compiles; and what is resident then. */
export async function measureStart(rig: Rig): Promise<readonly Row[]> {
  const readyMs: number[] = [];
  const memory: number[] = [];
  for (let repetition = 0; repetition <= 2 * rig.repetitions; repetition += 1) {
    const startedAt = performance.now();
    const { pid } = await startIn(rig);
    if (repetition > 0) readyMs.push(performance.now() - startedAt);
    await sleep(SETTLES_MS);
    memory.push(rssMb(pid));
    process.kill(pid);
  }
  return [
    atMost({ name: "start until ready", unit: "ms", ours: median(readyMs) }, 1_000),
    atMostBy(
      { name: "resident memory after the start", unit: "MB", ours: median(memory), base: rssMb(rig.bare.pid) },
      1.5,
    ),
  ];
}
