import { rssMb } from "../memory.ts";
import { type Rig, startIn } from "./rig.ts";
import { atLeastBy, atMost, type Row } from "./row.ts";

const FEW = 16;
const MANY = 100;
/** Enough that each of the many is asked several times. */
const COMMANDS = 600;

/** 100 workspaces that installed the app by OAuth: a burst of lists over all of them, in turn with one over 16 of them. */
export async function measureWorkspaces(rig: Rig): Promise<readonly Row[]> {
  const { pid, port } = await startIn(rig, { isInstalled: true });
  const { crowd, repetitions, isQuick } = rig;
  const times = isQuick ? COMMANDS / 2 : COMMANDS;
  const perSecond = async (workspaces: number): Promise<number> =>
    (times / (await crowd.ask("saysIn", { port, text: "list", times, workspaces }))) * 1_000;
  await crowd.ask("installs", { port, from: 0, to: FEW });
  await perSecond(FEW);
  await perSecond(FEW);
  const before = rssMb(pid);
  await crowd.ask("installs", { port, from: FEW, to: MANY });
  await perSecond(MANY);
  const grown = rssMb(pid) - before;
  const rates: Record<"ours" | "base", number[]> = { ours: [], base: [] };
  for (let round = 0; round < 3 * repetitions; round += 1) {
    rates.ours.push(await perSecond(MANY));
    rates.base.push(await perSecond(FEW));
  }
  process.kill(pid);
  return [
    atLeastBy({ name: `list over ${MANY} workspaces, 16 at a time`, unit: "a second", ...rates }, 0.8, {
      of: `as many over ${FEW}`,
    }),
    atMost({ name: `memory of a workspace, by ${MANY - FEW} more of them`, unit: "MB", ours: grown / (MANY - FEW) }, 1),
  ];
}
