import { setTimeout as sleep } from "node:timers/promises";
import { rssMb } from "../memory.ts";
import { startPlainApp } from "../plain-app.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, atMostBy, type Row } from "./row.ts";

const SETTLES_MS = 1_000;

/** From the start of the process until it is ready, after one start that compiles; and what is resident then. */
export async function measureStart(rig: Rig): Promise<readonly Row[]> {
  const readyMs: number[] = [];
  const memory: number[] = [];
  const plain: number[] = [];
  for (let repetition = 0; repetition <= 2 * rig.repetitions; repetition += 1) {
    const startedAt = performance.now();
    const { pid } = await startIn(rig);
    if (repetition > 0) readyMs.push(performance.now() - startedAt);
    const other = await startPlainApp();
    await sleep(SETTLES_MS);
    memory.push(rssMb(pid));
    plain.push(rssMb(other));
    for (const each of [pid, other]) process.kill(each);
  }
  return [
    atMost({ name: "start until ready", unit: "ms", ours: readyMs }, 1_000),
    atMostBy({ name: "resident memory after the start", unit: "MB", ours: memory, base: plain }, 1.4, {
      of: "a bare app in JavaScript",
    }),
  ];
}
