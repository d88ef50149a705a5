import type { World } from "../../../service/contract/world.ts";
import { socketOf } from "../../../support/daemons/daemon-call.ts";
import type { TestContainer, TestDaemon } from "../../../support/docker.ts";
import { worldOfProcess } from "../../support/process-world.ts";
import { type ServiceProcess, startServiceProcess } from "../../../support/service-process.ts";
import { type DaemonFront, openDaemonFront } from "./daemon-front.ts";
import { serviceSettings } from "./service-settings.ts";

/** One service with a data folder of its own, as a process that can be killed; all that it makes on the daemon goes with it. */
export type Lane = AsyncDisposable & {
  readonly daemon: TestDaemon;
  readonly front: DaemonFront;
  /** Asks whichever service runs; rejects while none does. */
  readonly world: World;
  /** `kill -9`, if it still runs. */
  readonly kill: () => Promise<void>;
  /** As an operator stops it; resolves to its exit code. */
  readonly stop: () => Promise<number | null | undefined>;
  /** Starts the service again, if it doesn't run. */
  readonly start: () => Promise<void>;
  /** All its containers, running or not. */
  readonly containers: () => Promise<readonly TestContainer[]>;
};

type Options = {
  /** Past the front, so that the service sees how its daemon goes and comes. */
  readonly isDirect?: boolean;
  /** Where its data folder is, such as a small disk. */
  readonly within?: string;
};

export async function openLane(daemon: TestDaemon, { isDirect = false, within }: Options = {}): Promise<Lane> {
  const front = await openDaemonFront(socketOf(daemon.host));
  const settings = serviceSettings(isDirect ? daemon.host : front.host, within);
  let service: ServiceProcess | undefined;
  let label: string | undefined;
  const world = worldOfProcess(() => service);
  const take = () => {
    const running = service;
    service = undefined;
    return running;
  };
  return {
    daemon,
    front,
    world,
    kill: async () => await take()?.kill(),
    stop: async () => await take()?.stop(),
    async start() {
      service ??= await startServiceProcess(settings.env);
      label ??= settings.label();
    },
    containers: async () => (label === undefined ? [] : await daemon.containersWith(label)),
    async [Symbol.asyncDispose]() {
      await take()?.kill();
      await front.close();
      if (label !== undefined) await daemon.removeWith(label);
      settings.remove();
    },
  };
}
