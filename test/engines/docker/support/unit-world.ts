import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MovableClock, realTimeClock } from "../../../support/test-clock.ts";
import { daemonAt } from "../../../../src/service/engines/docker/daemon/daemon-client.ts";
import { type DockerRuntime, makeDockerRuntime } from "../../../../src/service/engines/docker/docker-runtime.ts";
import { makeImages } from "../../../../src/service/engines/docker/images/images.ts";
import { OWNER_LABEL } from "../../../../src/service/engines/docker/container-spec.ts";
import type { Exit, Unit, UnitSpec } from "../../../../src/service/workloads/runtime.ts";
import type { TestDaemon } from "../../../support/docker.ts";

/** A runtime on a real daemon, as one data folder's server has it, and what its units wrote. */
export type UnitWorld = {
  readonly clock: MovableClock;
  readonly runtime: DockerRuntime;
  /** Its data folder. */
  readonly folder: string;
  /** Labels all that it makes: `gantry.owner=…` */
  readonly label: string;
  /** Starts a shell command, which ends with SIGTERM. */
  readonly start: (script: string, more?: Partial<UnitSpec>) => Promise<Unit>;
  readonly started: (spec: UnitSpec) => Promise<Unit>;
  /** What the runtime noted at starts, and all lines of the units. */
  readonly lines: string[];
  readonly ended: (unit: Unit) => Promise<Exit>;
  readonly adopt: () => Promise<readonly Unit[]>;
  /** The same data folder after a kill -9 of its server. */
  readonly successor: () => UnitWorld;
  readonly close: () => Promise<void>;
};

let units = 0;

export function unitWorld(
  daemon: TestDaemon,
  owner: string = randomBytes(8).toString("hex"),
  folder: string = mkdtempSync(join(tmpdir(), "gantry-units-")),
): UnitWorld {
  const lines: string[] = [];
  const clock = realTimeClock();
  const api = daemonAt({ socketPath: daemon.host.replace("unix://", "") }, clock);
  const runtime = makeDockerRuntime({
    clock,
    images: makeImages({ clock, daemon: api, program: daemon.kind, credentials: async () => undefined }),
    daemon: api,
    folder,
    owner,
    isPodman: daemon.kind === "podman",
    limitsMemory: true,
    graceSeconds: 1,
    connections: 50,
    portsHost: "127.0.0.1",
    readiness: () => ({ ok: true }),
    answeredMs: clock.elapsedMs,
    onEvent: () => undefined,
  });
  const read = (unit: Unit): Unit => {
    const write = ({ text }: { text: string }) => void lines.push(text);
    unit.readLog({ after: undefined, write, signal: new AbortController().signal });
    return unit;
  };
  const started = async (spec: UnitSpec) => read(await runtime.start(spec, (line) => void lines.push(line)));
  const world: UnitWorld = {
    clock,
    runtime,
    folder,
    label: `${OWNER_LABEL}=${owner}`,
    lines,
    started,
    start: (script, more) => started(specOf(daemon.image, script, more)),
    ended: (unit) => unit.exited,
    adopt: async () => (await runtime.adopt()).map(read),
    successor: () => unitWorld(daemon, owner, folder),
    async close() {
      await runtime.close();
      await daemon.removeWith(world.label);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

export function specOf(image: string, script: string, more: Partial<UnitSpec> = {}): UnitSpec {
  const workload = `u${(units += 1)}`;
  return {
    workload,
    instance: `${workload}-0`,
    container: 0,
    generation: 0,
    username: "dana",
    region: "us",
    definition: {
      name: workload,
      image,
      pullAlways: false,
      command: ["sh", "-c", `trap 'exit 0' TERM; ${script}`],
      ports: [],
      mounts: [],
    },
    volumes: [],
    ports: [],
    syncTimezone: false,
    ...more,
  };
}
