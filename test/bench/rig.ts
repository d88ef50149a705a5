import { fileURLToPath } from "node:url";
import type { BareAppCalls } from "./bare-app.ts";
import type { CrowdCalls } from "./crowd.ts";
import { startGantry, type GantryProcess } from "./gantry-process.ts";
import { type Remote, startRemote } from "./remote.ts";

/** The bot, a bare Bolt app that makes the same calls, and people who use them. */
export type Rig = {
  /** The bot's entry. */
  readonly program: string;
  readonly repetitions: number;
  /** Half as many commands in each round; as many rounds, because their spread counts. */
  readonly isQuick: boolean;
  readonly crowd: Remote<CrowdCalls>;
  readonly ports: { readonly apiPort: number; readonly slackPort: number };
  readonly gantry: GantryProcess;
  readonly bare: GantryProcess;
};

export async function openRig({ repetitions, isQuick }: Pick<Rig, "repetitions" | "isQuick">): Promise<Rig> {
  const crowd = await startRemote<CrowdCalls>("./crowd.ts");
  const ports = await crowd.ask("ports", undefined);
  const program = fileURLToPath(new URL("../../src/gantry.js", import.meta.url));
  const bare = await startBare({ apiUrl: `http://127.0.0.1:${ports.apiPort}` });
  return { program, repetitions, isQuick, crowd, ports, bare, gantry: await startIn({ program, ports }) };
}

/** With the address of a workload API it makes the calls of `list` and `show`; without one it only acks. */
export async function startBare(works?: { readonly apiUrl: string }): Promise<GantryProcess> {
  const remote = await startRemote<BareAppCalls>("./bare-app.ts");
  if (works !== undefined) await remote.ask("work", works);
  return { pid: remote.pid, port: await remote.ask("port", undefined) };
}

/** Another process of the bot. */
export function startIn(
  { program, ports }: Pick<Rig, "program" | "ports">,
  how: Partial<Omit<Parameters<typeof startGantry>[0], "program" | "apiPort" | "slackPort">> = {},
): Promise<GantryProcess> {
  return startGantry({ program, ...ports, ...how });
}

export type Pairs<Figure> = { readonly ours: readonly Figure[]; readonly base: readonly Figure[] };

/** Two apps in turn, after a round that isn't counted: whatever drifts on the machine meets both. */
export async function inTurn<App, Figure>(
  { repetitions, isQuick }: Rig,
  apps: { readonly ours: App; readonly base: App; readonly times: number },
  measure: (app: App, times: number) => Promise<Figure>,
): Promise<Pairs<Figure>> {
  const pairs: { readonly ours: Figure; readonly base: Figure }[] = [];
  const times = isQuick ? Math.ceil(apps.times / 2) : apps.times;
  for (let round = 0; round <= 3 * repetitions; round += 1) {
    pairs.push({ ours: await measure(apps.ours, times), base: await measure(apps.base, times) });
  }
  const counted = pairs.slice(1);
  return { ours: counted.map(({ ours }) => ours), base: counted.map(({ base }) => base) };
}
