import { Away, type Exit, type Unit, type UnitLabels, type UnitSpec } from "../../../workloads/runtime.ts";
import type { CommandFailure, ContainerSpec } from "../daemon/daemon-client.ts";
import type { InspectedContainer } from "../daemon/daemon-schemas.ts";
import { DaemonError, isLost, messageOf } from "../daemon/daemon-error.ts";
import { containerName, volumeLabels, volumeName } from "../names.ts";
import { containerSpec, memoryCaveat } from "./container-spec.ts";
import { unitOver, type DockerContext } from "./container-unit.ts";

/** Creates the container and starts it. Rejects with the reason if one of them fails. */
export async function startContainer(spec: UnitSpec, context: DockerContext, note: Note): Promise<Unit> {
  const name = containerName(context.owner, spec);
  return await stepOf(context, () => context.watch.sparing(name, () => createAndStart(name, spec, context, note)));
}

/**
 * A step towards a start. Rejects with why it failed, for its users. That says nothing about what was to be started where the
 * daemon doesn't answer, or hasn't run on since: one that is being stopped fails calls in many words.
 */
export async function stepOf<Done>(
  context: DockerContext,
  step: () => Promise<Done>,
  signal?: AbortSignal,
): Promise<Done> {
  const { daemon, watch, title } = context;
  const session = watch.session();
  try {
    return await step();
  } catch (error) {
    if (signal?.aborted || error instanceof Away) throw error;
    if (isUnanswered(error)) throw new Away(`${title} didn't answer: ${messageOf(error)}`, { cause: error });
    const isThere = await daemon.ping().then(
      () => session !== undefined && session === watch.session(),
      () => false,
    );
    const why = isDiskFull(error) ? "the disk of the machine is full" : messageOf(error);
    throw isThere ? new Error(why, { cause: error }) : new Away(`${title} was away: ${why}`, { cause: error });
  }
}

/** Lost, or refused by something before the daemon or by one that isn't ready. */
function isUnanswered(error: unknown): boolean {
  return error instanceof DaemonError && (error.status === undefined || [502, 503, 504].includes(error.status));
}

/** The daemon names folders of the host. */
function isDiskFull(error: unknown): boolean {
  return error instanceof DaemonError && /no space left on device|disk quota exceeded/iu.test(error.message);
}

async function createAndStart(name: string, spec: UnitSpec, context: DockerContext, note: Note): Promise<Unit> {
  const { owner, daemon, networks, watch } = context;
  const before = watch.session();
  const caveat = memoryCaveat(spec.definition.memoryMib);
  if (caveat !== undefined) note(caveat);
  for (const { source } of spec.volumes) {
    await daemon.ensureVolume(volumeName(owner, source), volumeLabels(owner, source));
  }
  let seenIn = before;
  const started = await networks.within(spec, async (network) => {
    const made = await create(name, containerSpec(spec, { owner, network }), context);
    if (typeof made === "string") return await start(made, context);
    // What happened since its start came to nobody.
    seenIn = made.state === "running" ? before : undefined;
    return made;
  });
  const { workload, instance, container, generation } = spec;
  const labels = { workload, instance, container, generation };
  if (!("message" in started)) return await unitOver(started, { ...labels, seenIn }, context);
  note(`the command can't be run: ${started.message}`);
  return endedUnit(labels, { code: started.exitCode });
}

type Note = (line: string) => void;

/** After a lost answer its container may be there by the next try, or its name taken while it is being made. */
const MOST_TRIES = 3;

/**
 * Resolves to the new container's id. One of this name that was started is used instead: the answer to its start was lost,
 * by an outage or because an earlier server was killed, and starting another one would run the program twice.
 */
async function create(name: string, body: ContainerSpec, context: DockerContext): Promise<string | InspectedContainer> {
  const { daemon, isOwn, watch } = context;
  for (let tries = 1; ; tries += 1) {
    try {
      return await daemon.createContainer(name, body);
    } catch (error) {
      const mayBeThere = isLost(error) || (error instanceof DaemonError && error.status === 409);
      if (!mayBeThere || tries === MOST_TRIES) throw error;
    }
    const other = await daemon.inspectContainer(name);
    if (other && !isOwn(other)) {
      throw new Error(`somebody else's container is named ${name}: rename it with docker rename, or remove it`);
    }
    if (other && other.state !== "created" && !watch.isOver(other.id)) return other;
    if (other) await daemon.removeContainer(other.id);
  }
}

async function start(id: string, { daemon }: DockerContext): Promise<InspectedContainer | CommandFailure> {
  const lost = await startOrLose(id, daemon);
  if (lost && !isLost(lost)) return lost;
  const started = await daemon.inspectContainer(id);
  if (!started) throw new Error("its container was removed right after the start");
  // It may be starting right now, and the program must not run twice: the next start of this unit finds it by its name.
  if (lost && started.state === "created") throw lost;
  return started;
}

/** Resolves to why its command can't run, to an error if nobody knows whether it was started, or to nothing. */
async function startOrLose(
  id: string,
  daemon: DockerContext["daemon"],
): Promise<CommandFailure | DaemonError | undefined> {
  try {
    const failure = await daemon.startContainer(id);
    if (failure) await daemon.removeContainer(id);
    return failure;
  } catch (error) {
    if (isLost(error)) return error;
    if (error instanceof DaemonError) await daemon.removeContainer(id);
    throw error;
  }
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
