import type { Exit, Unit, UnitLabels, UnitSpec } from "../../../workloads/runtime.ts";
import type { CommandFailure, ContainerSpec, InspectedContainer } from "../daemon/daemon-api.ts";
import { DaemonError } from "../daemon/daemon-error.ts";
import { containerName, volumeLabels, volumeName } from "../names.ts";
import type { OwnContainers } from "../own-containers.ts";
import type { UserNetworks } from "../user-networks.ts";
import { containerSpec, memoryCaveat } from "./container-spec.ts";
import { unitOver, type UnitDeps } from "./container-unit.ts";

export type StartDeps = UnitDeps & {
  readonly owner: string;
  readonly isOwn: OwnContainers["isOwn"];
  readonly networks: UserNetworks;
};

/** Creates the container and starts it. Rejects with the reason if one of them fails. */
export async function startContainer(spec: UnitSpec, deps: StartDeps, note: Note): Promise<Unit> {
  try {
    return await createAndStart(spec, deps, note);
  } catch (error) {
    // The daemon names folders of the host.
    if (error instanceof DaemonError && isDiskFull(error)) throw new Error(DISK_IS_FULL, { cause: error });
    throw error;
  }
}

const DISK_IS_FULL = "the disk of the machine is full";

function isDiskFull({ message }: DaemonError): boolean {
  return /no space left on device|disk quota exceeded/iu.test(message);
}

async function createAndStart(spec: UnitSpec, deps: StartDeps, note: Note): Promise<Unit> {
  const { owner, daemon, networks } = deps;
  const caveat = memoryCaveat(spec.definition.memoryMib);
  if (caveat !== undefined) note(caveat);
  for (const { source } of spec.volumes) {
    await daemon.ensureVolume(volumeName(owner, source), volumeLabels(owner, source));
  }
  const started = await networks.within(spec, async (network) => {
    const made = await create(containerName(owner, spec), containerSpec(spec, { owner, network }), deps);
    return typeof made === "string" ? await start(made, deps) : made;
  });
  const labels = unitLabels(spec);
  if (!("message" in started)) return unitOver(started, labels, deps);
  note(`the command can't be run: ${started.message}`);
  return endedUnit(labels, { code: started.exitCode });
}

type Note = (line: string) => void;

function unitLabels({ workload, instance, container, generation }: UnitSpec): UnitLabels {
  return { workload, instance, container, generation };
}

/**
 * Resolves to the new container's id. One of this name that was started is used instead: the answer to its start was lost,
 * by an outage or because an earlier server was killed, and starting another one would run the program twice.
 */
async function create(name: string, body: ContainerSpec, deps: StartDeps): Promise<string | InspectedContainer> {
  const { daemon, isOwn, watch } = deps;
  try {
    return await daemon.createContainer(name, body);
  } catch (error) {
    if (!(error instanceof DaemonError) || error.status !== 409) throw error;
  }
  const other = await daemon.inspectContainer(name);
  if (other && !isOwn(other)) {
    throw new Error(`somebody else's container is named ${name}: rename it with docker rename, or remove it`);
  }
  if (other && other.state !== "created" && !watch.isOver(other.id)) return other;
  if (other) await daemon.removeContainer(other.id);
  return await daemon.createContainer(name, body);
}

async function start(id: string, { daemon }: StartDeps): Promise<InspectedContainer | CommandFailure> {
  try {
    const failure = await daemon.startContainer(id);
    if (failure) {
      await daemon.removeContainer(id);
      return failure;
    }
  } catch (error) {
    // Without an answer it may run: the next start of this unit finds it by its name.
    if (error instanceof DaemonError && error.status !== undefined) await daemon.removeContainer(id);
    throw error;
  }
  const started = await daemon.inspectContainer(id);
  if (!started) throw new Error("its container was removed right after the start");
  return started;
}

/** A unit whose command never ran. Its container is removed already. */
function endedUnit(labels: UnitLabels, exit: Exit): Unit {
  return {
    labels,
    exited: Promise.resolve(exit),
    spoke: Promise.resolve(),
    answers: undefined,
    address: () => undefined,
    readLog: () => undefined,
    stop: async () => undefined,
    discard: async () => undefined,
  };
}
