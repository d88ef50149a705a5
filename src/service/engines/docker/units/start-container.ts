import type { Exit, Unit, UnitLabels, UnitSpec } from "../../../workloads/runtime.ts";
import type { CommandFailure, ContainerSpec, InspectedContainer } from "../daemon/daemon-api.ts";
import { DaemonError } from "../daemon/daemon-error.ts";
import { containerName, volumeLabels, volumeName } from "../names.ts";
import { containerSpec, memoryCaveat } from "./container-spec.ts";
import { unitOver, type DockerContext } from "./container-unit.ts";

/** Creates the container and starts it. Rejects with the reason if one of them fails. */
export async function startContainer(spec: UnitSpec, context: DockerContext, note: Note): Promise<Unit> {
  try {
    return await createAndStart(spec, context, note);
  } catch (error) {
    // The daemon names folders of the host.
    if (!(error instanceof DaemonError) || !/no space left on device|disk quota exceeded/iu.test(error.message))
      throw error;
    throw new Error("the disk of the machine is full", { cause: error });
  }
}

async function createAndStart(spec: UnitSpec, context: DockerContext, note: Note): Promise<Unit> {
  const { owner, daemon, networks } = context;
  const caveat = memoryCaveat(spec.definition.memoryMib);
  if (caveat !== undefined) note(caveat);
  for (const { source } of spec.volumes) {
    await daemon.ensureVolume(volumeName(owner, source), volumeLabels(owner, source));
  }
  const started = await networks.within(spec, async (network) => {
    const made = await create(containerName(owner, spec), containerSpec(spec, { owner, network }), context);
    return typeof made === "string" ? await start(made, context) : made;
  });
  const { workload, instance, container, generation } = spec;
  const labels = { workload, instance, container, generation };
  if (!("message" in started)) return await unitOver(started, labels, context);
  note(`the command can't be run: ${started.message}`);
  return endedUnit(labels, { code: started.exitCode });
}

type Note = (line: string) => void;

/**
 * Resolves to the new container's id. One of this name that was started is used instead: the answer to its start was lost,
 * by an outage or because an earlier server was killed, and starting another one would run the program twice.
 */
async function create(name: string, body: ContainerSpec, context: DockerContext): Promise<string | InspectedContainer> {
  const { daemon, isOwn, watch } = context;
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

async function start(id: string, { daemon }: DockerContext): Promise<InspectedContainer | CommandFailure> {
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
