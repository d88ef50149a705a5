import type { BareAppCalls } from "../bare-app.ts";
import type { CrowdCalls } from "../crowd.ts";
import { startGantry, type GantryProcess } from "../gantry-process.ts";
import { type Remote, startRemote } from "../remote.ts";

/** The bot, a bare Bolt app that makes the same calls, and people who use them. */
export type Rig = {
  readonly program: string;
  readonly repetitions: number;
  /** Half as many commands in each round; as many rounds, because their spread counts. */
  readonly isQuick: boolean;
  readonly crowd: Remote<CrowdCalls>;
  readonly ports: { readonly apiPort: number; readonly slackPort: number };
  readonly gantry: GantryProcess;
  readonly bare: GantryProcess;
};

type Wanted = Pick<Rig, "program" | "repetitions" | "isQuick">;

export async function openRig({ program, repetitions, isQuick }: Wanted): Promise<Rig> {
  const [crowd, remote] = await Promise.all([
    startRemote<CrowdCalls>("./crowd.ts"),
    startRemote<BareAppCalls>("./bare-app.ts"),
  ]);
  const ports = await crowd.ask("ports", undefined);
  const { apiPort, slackPort } = ports;
  await remote.ask("work", { apiUrl: `http://127.0.0.1:${apiPort}`, slackUrl: `http://127.0.0.1:${slackPort}` });
  const bare = { pid: remote.pid, port: await remote.ask("port", undefined), inside: remote };
  const gantry = await startIn({ program, ports }, { isAsked: true });
  return { program, repetitions, isQuick, crowd, ports, bare, gantry };
}

/** Another process of the bot. */
export function startIn(
  { program, ports }: Pick<Rig, "program" | "ports">,
  how: Partial<Pick<Parameters<typeof startGantry>[0], "isAsked" | "isMeasured" | "isInstalled">> = {},
): Promise<GantryProcess> {
  return startGantry({ program, apiPort: ports.apiPort, sinkPort: ports.slackPort, ...how });
}
