import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { machineClock } from "../../../../src/platform/clock.ts";
import { dockerEngine } from "../../../../src/service/engines/docker/descriptor.ts";
import type { TestDaemon } from "../../../support/docker.ts";
import { realTimeClock } from "../../../support/test-clock.ts";
import { world } from "../../../support/world.ts";

/** The whole bot over the Docker engine, with a data folder of its own; its containers go with it. */
export async function townOnDocker(daemon: TestDaemon) {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-docker-engine-"));
  const regions = { set: ["beijing1", "beijing2"], byDefault: [] };
  const opened = await dockerEngine
    .choose({ DOCKER_HOST: daemon.host }, regions)
    .open({ clock: machineClock, dataDir, users: ["gantry"], onEvent: () => undefined });
  const label = `gantry.owner=${readFileSync(join(dataDir, "docker/docker-owner"), "utf8").trim()}`;
  const town = await world({ opened, clock: realTimeClock(), wait: pause, sweepsByItself: true });
  const close = async () => {
    await town.close();
    await opened.close();
    await daemon.removeWith(label);
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...town, containers: () => daemon.containersWith(label), close, [Symbol.asyncDispose]: close };
}
