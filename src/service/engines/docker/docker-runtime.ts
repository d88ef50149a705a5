import type { Readiness } from "../../engine.ts";
import { makePortFronts } from "../../workloads/ports.ts";
import { type Runtime, type Unit, Away, type Exit, type UnitLabels, type UnitSpec } from "../../workloads/runtime.ts";
import {
  type ListedContainer,
  type InspectedContainer,
  DaemonError,
  isLost,
  messageOf,
} from "./daemon/daemon-answers.ts";
import { checkImage } from "./images/registry.ts";
import type { Images } from "./images/images.ts";
import { titles } from "./descriptor.ts";
import {
  ownerFilter,
  unitOf,
  volumeName,
  workloadFilter,
  makeUserNetworks,
  enforcedMib,
  containerName,
  volumeLabels,
  containerSpec,
  memoryCaveat,
} from "./container-spec.ts";
import { ownContainers } from "./data-folder.ts";
import { type DockerContext, unitOver } from "./units/container-unit.ts";
import { watchContainers } from "./units/container-watch.ts";
import { unawaited } from "../../../platform/waiting.ts";
import type { CommandFailure, ContainerSpec } from "./daemon/daemon-client.ts";

type DockerRuntimeOptions = Omit<DockerContext, "title" | "isOwn" | "watch" | "networks" | "graceSeconds"> & {
  /** The data folder. `owner` is its id, see data-folder.ts. */
  readonly folder: string;
  readonly images: Images;
  /** Whether the daemon enforces memory limits. */
  readonly limitsMemory: boolean;
  /** 10 s, if undefined. */
  readonly graceSeconds?: number | undefined;
  /** Maximum number of forwarded connections. */
  readonly connections: number;
  /** The address of this machine that port mappings get. */
  readonly portsHost: string;
  readonly readiness: () => Readiness;
};

const GRACE_SECONDS = 10;

export type DockerRuntime = Runtime & {
  /** Notices what happened to the containers meanwhile. Rejects while the daemon doesn't answer. */
  readonly compare: () => Promise<void>;
};

/** Runs units as containers of Docker or Podman. They outlive the server; their labels say which unit they are. */
export function makeDockerRuntime(options: DockerRuntimeOptions): DockerRuntime {
  const { images, isPodman, owner, onEvent, readiness, answeredMs, clock } = options;
  const title = titles[isPodman ? "podman" : "docker"];
  const { daemon, isOwn } = ownContainers(options.daemon, options);
  const watch = watchContainers({ clock, daemon, owner, title, onEvent });
  const networks = makeUserNetworks(daemon, owner);
  const graceSeconds = options.graceSeconds ?? GRACE_SECONDS;
  const context: DockerContext = { ...options, daemon, isOwn, title, watch, networks, graceSeconds };
  const fronts = makePortFronts(options.portsHost, options.connections);
  return {
    keepsUnits: true,
    compare: watch.compare,
    check: checkImage,
    reservedMib: enforcedMib,
    ...(options.limitsMemory && { enforcedMib }),
    prepare: ({ definition: { image, pullAlways } }, { signal, note }) =>
      stepOf(context, () => images.ready(image, { pullAlways, signal, note }), signal),
    start: (spec, note) => startContainer(spec, context, note),
    adopt: () => adopt(context),
    expose: fronts.open,
    drained: fronts.drained,
    volumePath: (source) => volumeName(owner, source),
    async clear(workload) {
      const listed = await daemon.listContainers([ownerFilter(owner), workloadFilter(workload)]);
      for (const { id } of listed) await daemon.removeContainer(id);
      await networks.removeUnused();
    },
    clearOthers: (kept) => clearOthers(context, kept),
    readiness,
    answeredMs,
    async close() {
      watch.close();
      options.disk?.close();
      await fronts.close();
    },
  };
}

async function adopt(context: DockerContext): Promise<readonly Unit[]> {
  const units: Unit[] = [];
  for (const listed of await context.daemon.listContainers([ownerFilter(context.owner)])) {
    const unit = await adoptOne(listed, context);
    if (unit) units.push(unit);
  }
  return units;
}

/** A container that was created and never started is left from a killed server: it is removed. */
async function adoptOne({ id, labels }: ListedContainer, context: DockerContext): Promise<Unit | undefined> {
  const found = await context.daemon.inspectContainer(id);
  const unit = unitOf(labels);
  if (!found || !unit) return undefined;
  if (found.state !== "created") return await unitOver(found, { ...unit, seenIn: context.watch.session() }, context);
  await context.daemon.removeContainer(id);
  return undefined;
}

/** Running ones are being stopped by now, with their grace time. */
async function clearOthers({ daemon, owner, watch, networks, onEvent }: DockerContext, kept: ReadonlySet<string>) {
  try {
    for (const { id, labels, state } of await daemon.listContainers([ownerFilter(owner)])) {
      if (kept.has(unitOf(labels)?.workload ?? "")) continue;
      if (state === "running") unawaited(watch.ended(id, watch.session()).then(() => watch.discard(id)));
      else await daemon.removeContainer(id);
    }
    await networks.removeUnused();
  } catch (error) {
    onEvent("couldn't remove the containers of deleted workloads", { error });
  }
}

/** Creates the container and starts it. Rejects with the reason if one of them fails. */
export async function startContainer(spec: UnitSpec, context: DockerContext, note: Note): Promise<Unit> {
  const name = containerName(context.owner, spec);
  return await stepOf(context, () => context.watch.sparing(name, () => createAndStart(name, spec, context, note)));
}

/**
 * A step towards a start. Rejects with why it failed, for its users. That says nothing about what was to be started where the
 * daemon doesn't answer, or hasn't run on since: one that is being stopped fails calls in many words.
 */
async function stepOf<Done>(context: DockerContext, step: () => Promise<Done>, signal?: AbortSignal): Promise<Done> {
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
