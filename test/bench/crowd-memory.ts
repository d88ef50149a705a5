import { bundledGantry } from "../support/bundle.ts";
import { peakMb } from "./process-stat.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, type Row } from "./row.ts";

const COMMANDS = 30_000;
const ROUNDS = 5;
const READS = ["list", "show web", "help", "whoami", "history", "list services", "pending", "logs web --private"];
/** One in nine is a change. */
const EACH = Math.ceil(COMMANDS / ROUNDS / (READS.length + 1));
const AT_ONCE = 16;

/** 30,000 mixed commands, 16 at a time, in a bot of their own as the image has it: its peak of memory. */
export async function measureCrowdMemory(rig: Rig): Promise<readonly Row[]> {
  const bundle = bundledGantry();
  const { pid, port } = await startIn({ ...rig, program: bundle.program });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const text of READS) await rig.crowd.ask("says", { port, text, times: EACH, concurrency: AT_ONCE });
    await rig.crowd.ask("scales", { port, times: EACH });
  }
  const ours = peakMb(pid);
  process.kill(pid);
  bundle.remove();
  return [atMost({ name: "peak of memory in 30,000 mixed commands, as in the image", unit: "MB", ours }, 240)];
}
