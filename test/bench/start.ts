import { setTimeout as sleep } from "node:timers/promises";
import { bundledGantry } from "../support/bundle.ts";
import { rssMb } from "./machine.ts";
import { startPlainApp } from "./plain-app.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, atMostBy, type Row } from "./row.ts";

const SETTLES_MS = 1_000;

/** From the start of the process until it is ready, after one start that compiles; and what is resident then. */
export async function measureStart(rig: Rig): Promise<readonly Row[]> {
  const sources = await measureStarts(rig, false);
  const bundle = bundledGantry();
  const inImage = { ...rig, program: bundle.program };
  const image = await measureStarts(inImage, false);
  const measured = await measureStarts(inImage, true);
  bundle.remove();
  return [
    ...rowsOf(image, ", as in the image"),
    // The same bounds: whoever turns metrics on needs no larger machine.
    ...rowsOf(measured, ", as in the image, with metrics"),
    ...rowsOf(sources, ", from a clone"),
  ];
}

type Starts = { readonly readyMs: number[]; readonly memory: number[]; readonly plain: number[] };

async function measureStarts(rig: Rig, isMeasured: boolean): Promise<Starts> {
  const starts: Starts = { readyMs: [], memory: [], plain: [] };
  for (let repetition = 0; repetition <= 2 * rig.repetitions; repetition += 1) {
    const startedAt = performance.now();
    const { pid } = await startIn(rig, { isMeasured });
    if (repetition > 0) starts.readyMs.push(performance.now() - startedAt);
    const other = await startPlainApp();
    await sleep(SETTLES_MS);
    starts.memory.push(rssMb(pid));
    starts.plain.push(rssMb(other));
    for (const each of [pid, other]) process.kill(each);
  }
  return starts;
}

function rowsOf({ readyMs, memory, plain }: Starts, how: string): readonly Row[] {
  return [
    atMost({ name: `start until ready${how}`, unit: "ms", ours: readyMs }, 1_000),
    atMostBy({ name: `resident memory after the start${how}`, unit: "MB", ours: memory, base: plain }, 1.4, {
      of: "a bare app in JavaScript",
    }),
  ];
}
