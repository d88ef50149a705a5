import { setImmediate as turn } from "node:timers/promises";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Clock } from "../../../../platform/clock.ts";
import { HOST } from "../../../workloads/ports.ts";
import { digestOf } from "../../../../api/image.ts";
import type { LogReader, Unit, UnitLabels } from "../../../workloads/runtime.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import type { InspectedContainer } from "../daemon/daemon-answers.ts";
import type { DiskWatch } from "../daemon/daemon-health.ts";
import { followUnitLog } from "../logs/unit-log.ts";
import { askedMib, memoryBytes, type UserNetworks } from "../container-spec.ts";
import type { OwnContainers } from "../data-folder.ts";
import { healthOf } from "./health-check.ts";
import type { ContainerWatch, Session } from "./container-watch.ts";
import { unawaited, within } from "../../../../platform/waiting.ts";

/** What the containers of a data folder share. */
export type DockerContext = {
  readonly clock: Clock;
  readonly daemon: DaemonApi;
  readonly owner: string;
  readonly isPodman: boolean;
  /** What the daemon is called. */
  readonly title: string;
  readonly isOwn: OwnContainers["isOwn"];
  readonly watch: ContainerWatch;
  readonly networks: UserNetworks;
  readonly disk?: DiskWatch | undefined;
  /** From SIGTERM to SIGKILL. */
  readonly graceSeconds: number;
  /** How long the daemon has answered so far. */
  readonly answeredMs: () => number;
  readonly onEvent: (message: string, data: object) => void;
};

const RETRY_MS = 1_000;
const PROBE_MS = 1_000;
const MIB = 1024 * 1024;

/** A container that was started, and may have ended. It was last seen running in `seenIn`. */
export async function unitOver(
  container: InspectedContainer,
  { seenIn, ...labels }: UnitLabels & { readonly seenIn: Session },
  context: DockerContext,
): Promise<Unit> {
  const { id } = container;
  // First, so that no end is missed during the read.
  const ended = context.watch.ended(id, seenIn);
  const imageDigest = await digestIn(container, context);
  const gone = new AbortController();
  unawaited(ended.finally(() => gone.abort()));
  const log = makeLog(container, gone.signal, context);
  const exited = ended.then(async (exit) => {
    await log.isRead;
    return exit;
  });
  let stopping: Promise<void> | undefined;
  if (container.state === "ended") unawaited(context.watch.look(id));
  return {
    labels,
    exited,
    spoke: Promise.resolve(),
    ...reachability(container, { ended: gone.signal, context }),
    imageDigest,
    runs: async () => (await context.daemon.inspectContainer(id).catch(() => undefined))?.state === "running",
    hindrance: () => (context.watch.isPaused(id) ? "somebody paused its container" : undefined),
    readLog: log.read,
    async stop() {
      log.skip();
      stopping ??= stopContainer(id, ended, context);
      await stopping;
      await exited;
    },
    async discard() {
      await log.isRead;
      await context.watch.discard(id);
    },
    ...memory(container, context),
  };
}

/** By the image's id, because its name may belong to another image by now. Undefined if the image was removed by force. */
async function digestIn({ image }: InspectedContainer, { daemon }: DockerContext): Promise<string | undefined> {
  try {
    return digestOf(image.name, (await daemon.inspectImage(image.id))?.digests ?? []);
  } catch {
    // The container runs, whatever is wrong with its image.
    return undefined;
  }
}

function makeLog({ id }: InspectedContainer, ended: AbortSignal, { clock, daemon, disk }: DockerContext) {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  let isFollowed = false;
  return {
    read: (reader: LogReader) => {
      isFollowed = true;
      const noteOnDisk = (text: string): void => {
        if (!reader.signal.aborted)
          unawaited(Promise.resolve(reader.write({ at: clock.now(), text: `[gantry] ${text}` })));
      };
      const unfollow = disk?.follow(noteOnDisk);
      resolve(followUnitLog({ clock, daemon }, { ...reader, container: id, ended }).finally(unfollow));
    },
    /** Nobody will read it, unless `read` was called. */
    skip() {
      if (!isFollowed) resolve();
    },
    isRead,
  };
}

/**
 * It has no address until its program accepts a connection, or its health check passes: until then, other instances get
 * the connections.
 */
function reachability(
  { id, ports, networks, health: check }: InspectedContainer,
  { ended, context }: { readonly ended: AbortSignal; readonly context: DockerContext },
): Pick<Unit, "answers" | "health" | "address"> {
  const { clock, daemon, isPodman, answeredMs } = context;
  const direct = directAddress(networks);
  const health = check && healthOf({ answeredMs, id, check, daemon, mayRunNone: isPodman });
  let hasAnswered = false;

  async function probe(): Promise<boolean> {
    const all = await Promise.all(
      [...ports].map(
        async ([port, published]) =>
          (direct !== undefined && (await accepts(direct, port, clock))) || (await takesConnections(published, clock)),
      ),
    );
    hasAnswered ||= all.every(Boolean);
    return all.every(Boolean);
  }

  async function probeUntilAnswered(): Promise<void> {
    while (!ended.aborted && !(await probe())) await clock.sleep(PROBE_MS);
  }

  if (ports.size > 0) unawaited(probeUntilAnswered());
  return {
    health: health && {
      ...health,
      async look() {
        const found = await health.look();
        hasAnswered ||= found === "healthy";
        return found;
      },
    },
    answers: ports.size > 0 ? probe : undefined,
    address(containerPort) {
      const port = ports.get(containerPort);
      return port === undefined || !hasAnswered || ended.aborted ? undefined : `${HOST}:${port}`;
    },
  };
}

/** Asks until it has ended, also over an outage of the daemon. */
async function stopContainer(id: string, ended: Promise<unknown>, context: DockerContext): Promise<void> {
  const { clock, daemon, watch, graceSeconds, onEvent } = context;
  const isOver = ended.then(() => true as const);
  for (let isFirst = true; ; isFirst = false) {
    try {
      await daemon.stopContainer(id, graceSeconds);
      await watch.look(id);
    } catch (error) {
      if (isFirst) onEvent("couldn't stop a container; trying again", { error, container: id });
      await unpause(id, daemon);
    }
    if (await Promise.race([isOver, clock.sleep(RETRY_MS)])) return;
  }
}

/** Podman doesn't stop a container that somebody paused. */
async function unpause(id: string, daemon: DaemonApi): Promise<void> {
  try {
    const found = await daemon.inspectContainer(id);
    if (found?.isPaused === true) await daemon.unpauseContainer(id);
  } catch {
    // The next attempt to stop it fails, too.
  }
}

/** A limit that nobody changed since the start is told as it was asked for. */
function memory({ id, labels, memoryBytes: limit }: InspectedContainer, { daemon }: DockerContext) {
  const asked = askedMib(labels);
  let limitMib = limit === memoryBytes(asked) || limit === undefined ? asked : Math.round(limit / MIB);
  return {
    async resize(wantedMib: number | undefined): Promise<boolean> {
      try {
        await daemon.setMemory(id, memoryBytes(wantedMib));
      } catch {
        return false;
      }
      limitMib = wantedMib;
      return true;
    },
    limitMib: () => limitMib,
  };
}

/** Long enough for a connection, and for the daemon's proxy to close one: on a busy machine it has taken more than 100 ms. */
const OPEN_MS = 250;

/**
 * Where this machine reaches the container without the daemon's proxy. The address means nothing elsewhere, so it counts
 * only if the network's gateway is this machine, which it isn't where the daemon runs in a virtual machine.
 */
function directAddress(networks: InspectedContainer["networks"]): string | undefined {
  const here = new Set(Object.values(networkInterfaces()).flatMap((own = []) => own.map(({ address }) => address)));
  return networks.find(({ gateway }) => here.has(gateway))?.address;
}

/** Without the proxy, only a listening program accepts a connection. */
async function accepts(address: string, port: number, clock: Pick<Clock, "after">): Promise<boolean> {
  const socket = connect(port, address);
  const isOpen = await within(OPEN_MS, Promise.race([connectedTo(socket), closedBy(socket)]), () => false, clock);
  socket.destroy();
  return isOpen;
}

/**
 * Whether a program in the container takes connections at a published port. The daemon's proxy accepts each connection
 * and closes it at once while nothing in the container listens, so only one that stays open says something.
 */
async function takesConnections(port: number, clock: Pick<Clock, "after">): Promise<boolean> {
  const socket = connect(port, HOST);
  const closed = closedBy(socket);
  const stayed =
    (await Promise.race([connectedTo(socket), closed])) && (await within(OPEN_MS, closed, () => true, clock));
  // When this process was late itself, the timer comes before what happened to the connection meanwhile.
  const isOpen = stayed && (await Promise.race([closed, turn(true)]));
  socket.destroy();
  return isOpen;
}

async function connectedTo(socket: Socket): Promise<true> {
  return await new Promise((resolve) => socket.once("connect", () => resolve(true)));
}

async function closedBy(socket: Socket): Promise<false> {
  socket.once("end", () => socket.destroy()).resume();
  return await new Promise((resolve) => {
    for (const event of ["error", "end", "close"]) socket.once(event, () => resolve(false));
  });
}
