import { rssMb } from "./machine.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, type Row } from "./row.ts";

const FEW = 16;
const MANY = 100;
/** Enough that each of the many is asked several times. */
const COMMANDS = 600;

/** 100 workspaces that installed the app by OAuth, after as many lists in 16 of them as in all. */
export async function measureWorkspaces(rig: Rig): Promise<readonly Row[]> {
  const { pid, port } = await startIn(rig, { isInstalled: true });
  const { crowd } = rig;
  const lists = (workspaces: number) => crowd.ask("saysIn", { port, text: "list", times: COMMANDS, workspaces });
  await crowd.ask("installs", { port, from: 0, to: FEW });
  await lists(FEW);
  await lists(FEW);
  const before = rssMb(pid);
  await crowd.ask("installs", { port, from: FEW, to: MANY });
  await lists(MANY);
  const ours = (rssMb(pid) - before) / (MANY - FEW);
  process.kill(pid);
  return [atMost({ name: `memory of a workspace, by ${MANY - FEW} more of them`, unit: "MB", ours }, 1)];
}
