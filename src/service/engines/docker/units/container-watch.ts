import type { Clock } from "../../../../platform/clock.ts";
import type { Exit } from "../../../workloads/runtime.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import type { InspectedContainer, ListedContainer } from "../daemon/daemon-answers.ts";
import { ownerFilter } from "../container-spec.ts";
import { unawaited } from "../../../../platform/waiting.ts";

export type ContainerWatch = ReturnType<typeof watchContainers>;

/** A run of the daemon, as its stream of events shows it: while that doesn't break, it runs on. Undefined between two streams. */
export type Session = object | undefined;

type WatchOptions = {
  readonly clock: Clock;
  /** What the daemon is called. */
  readonly title: string;
  readonly daemon: Pick<DaemonApi, "events" | "inspectContainer" | "listContainers" | "removeContainer">;
  readonly owner: string;
  readonly onEvent: (message: string, data: object) => void;
};

/** Between two comparisons with the list of all. */
const COMPARE_MS = 10_000;
/** Between two attempts to reach the daemon. */
const RETRY_MS = 500;
/** A container of ours that no unit knows is removed after this long: its start may be tried again. */
const STRANGER_MS = 5 * 60_000;
/** Between two looks at a killed container: Docker may learn only after its end that it was out of memory. */
const LATE_REASON_MS = 200;
/** How often a killed container is looked at again for its reason. */
const LATE_LOOKS = 5;

type Watched = {
  readonly end: PromiseWithResolvers<Exit>;
  isOver: boolean;
  isPaused: boolean;
  /** When it was last seen running. */
  seenIn: Session;
};

type Watch = WatchOptions & {
  session: Session;
  readonly watched: Map<string, Watched>;
  readonly discarded: Set<string>;
  /** Containers that no unit knows, and when they were first seen. */
  readonly strangers: Map<string, number>;
  /** Names of containers that are being started. */
  readonly starting: Set<string>;
  readonly closing: AbortController;
};

/**
 * Notices the ends of this engine's containers. The daemon's events make it fast; comparing with a list of all, from time
 * to time and after each outage, makes it certain. While the daemon doesn't answer nothing has ended.
 *
 * A daemon that stops takes its containers down, and one that was killed does so when it is back. So an end says something
 * about the container only if the daemon has run on since the container was last seen running.
 */
export function watchContainers(options: WatchOptions) {
  const watch: Watch = {
    ...options,
    session: {},
    watched: new Map(),
    discarded: new Set(),
    strangers: new Map(),
    starting: new Set(),
    closing: new AbortController(),
  };
  unawaited(follow(watch));
  unawaited(compareAgain(watch));
  return {
    /** Resolves when the container has ended or was removed. `seenIn` is when it was last seen running. */
    ended(id: string, seenIn: Session): Promise<Exit> {
      const end = Promise.withResolvers<Exit>();
      const known = watch.watched.get(id) ?? { end, isOver: false, isPaused: false, seenIn };
      watch.watched.set(id, known);
      return known.end.promise;
    },
    session: (): Session => watch.session,
    /** Looks at a container now. Never rejects. */
    look: (id: string) => look(watch, id).catch(() => undefined), // the next comparison looks again
    /** Looks at all of them. Rejects while the daemon doesn't answer. */
    compare: () => compare(watch),
    /** Somebody froze its processes: it runs and does nothing. */
    isPaused: (id: string) => watch.watched.get(id)?.isPaused === true,
    /** Removes a container whose end was recorded; later, if the daemon can't now. Never rejects. */
    discard: (id: string) => discard(watch, id),
    /** Whether this server noticed the container's end, so that only its removal is missing. */
    isOver: (id: string) => watch.discarded.has(id) || watch.watched.get(id)?.isOver === true,
    /** Runs a start. Until it ends, its container isn't removed as one that no unit knows. */
    async sparing<Started>(name: string, start: () => Promise<Started>): Promise<Started> {
      watch.starting.add(name);
      return await start().finally(() => watch.starting.delete(name));
    },
    close: () => watch.closing.abort(),
  };
}

/** What Docker, then Podman, calls an end and a removal, and what both call a pause. */
const CHANGES: readonly string[] = ["die", "destroy", "died", "remove", "pause", "unpause"];

async function follow(watch: Watch): Promise<void> {
  const { daemon, owner, closing } = watch;
  while (!closing.signal.aborted) {
    try {
      const events = await daemon.events(ownerFilter(owner), closing.signal);
      watch.session ??= {};
      // Events between two streams came to nobody.
      unawaited(compare(watch), () => undefined); // compared again soon
      for await (const { id, action } of events) {
        if (CHANGES.includes(action)) unawaited(look(watch, id), () => undefined); // the next comparison looks again
      }
    } catch {
      // The daemon is away. The comparisons notice when it is back.
    }
    watch.session = undefined;
    await pauseUnlessClosed(watch, RETRY_MS);
  }
}

async function compareAgain(watch: Watch): Promise<void> {
  const { closing } = watch;
  while (!closing.signal.aborted) {
    const isCompared = await compare(watch).then(
      () => true,
      () => false,
    );
    await pauseUnlessClosed(watch, isCompared ? COMPARE_MS : RETRY_MS);
  }
}

async function pauseUnlessClosed({ clock, closing }: Watch, ms: number): Promise<void> {
  await clock.sleep(ms, closing.signal).catch(() => undefined); // closed
}

async function compare(watch: Watch): Promise<void> {
  const { daemon, owner, watched, session } = watch;
  const awaited = [...watched].filter(([, { isOver }]) => !isOver).map(([id]) => id);
  const listed = await daemon.listContainers([ownerFilter(owner)]);
  const running = new Map(listed.filter(({ state }) => state === "running").map((each) => [each.id, each]));
  for (const id of awaited) {
    const known = watched.get(id);
    const found = running.get(id);
    if (found && known) Object.assign(known, { isPaused: found.isPaused, seenIn: session });
    else await look(watch, id);
  }
  await removeLeftovers(watch, listed);
}

async function look(watch: Watch, id: string): Promise<void> {
  const awaited = watch.watched.get(id);
  if (!awaited || awaited.isOver) return;
  const { session } = watch;
  const found = await watch.daemon.inspectContainer(id);
  awaited.isPaused = found?.isPaused ?? false;
  if (found && found.state !== "ended") {
    awaited.seenIn = session;
    return;
  }
  awaited.isOver = true;
  const exit = found ? await lateExitOf(watch, found) : REMOVED;
  const hasRunOn = awaited.seenIn !== undefined && awaited.seenIn === watch.session;
  if (exit) awaited.end.resolve(hasRunOn ? exit : { ...exit, surroundings: `${watch.title} didn't answer` });
  else awaited.isOver = false;
}

/**
 * How it ended, once that is certain: Docker kills a container that somebody removes, and may learn only after its end that
 * it was out of memory. Undefined if it runs again, because somebody restarted it.
 */
async function lateExitOf({ clock, daemon }: Watch, ended: InspectedContainer): Promise<Exit | undefined> {
  let last = ended;
  for (let looks = 0; looks < LATE_LOOKS; looks += 1) {
    if (last.exitCode !== KILLED || last.isOutOfMemory || last.isBeingRemoved) break;
    await clock.sleep(LATE_REASON_MS);
    try {
      const found = await daemon.inspectContainer(ended.id);
      if (!found) return removedAt(last);
      if (found.state !== "ended") return undefined;
      last = found;
    } catch {
      // The daemon is away. The exit code read before still holds.
    }
  }
  return last.isBeingRemoved ? removedAt(last) : exitOf(last);
}

const REMOVED: Exit = { code: null, isRemoved: true };

function removedAt({ finishedAt }: InspectedContainer): Exit {
  return { ...REMOVED, ...(finishedAt !== undefined && { at: finishedAt }) };
}

/** What the daemons report for a container that was killed with SIGKILL: 128 + 9. */
const KILLED = 137;

function exitOf({ exitCode, isOutOfMemory, finishedAt }: InspectedContainer): Exit {
  return {
    code: exitCode,
    // The daemons also say it of a container that lost only a part of its processes.
    ...(isOutOfMemory && exitCode === KILLED && { isOutOfMemory: true }),
    ...(finishedAt !== undefined && { at: finishedAt }),
  };
}

async function discard(watch: Watch, id: string): Promise<void> {
  watch.discarded.add(id);
  watch.watched.delete(id);
  try {
    await watch.daemon.removeContainer(id);
  } catch (error) {
    watch.onEvent("couldn't remove a container that has ended; trying again", { error, container: id });
  }
}

async function removeLeftovers(watch: Watch, listed: readonly ListedContainer[]): Promise<void> {
  const { daemon, discarded, strangers, starting, watched } = watch;
  const now = watch.clock.elapsedMs();
  const present = new Set(listed.map(({ id }) => id));
  for (const id of discarded) {
    if (present.has(id)) await daemon.removeContainer(id);
    else discarded.delete(id);
  }
  for (const id of strangers.keys()) if (!present.has(id) || watched.has(id)) strangers.delete(id);
  for (const { id, name } of listed) {
    if (watched.has(id) || discarded.has(id)) continue;
    if (starting.has(name)) {
      strangers.delete(id);
      continue;
    }
    const since = strangers.get(id) ?? now;
    strangers.set(id, since);
    if (now - since < STRANGER_MS) continue;
    watch.onEvent("removing a container that belongs to no workload", { container: id });
    await daemon.removeContainer(id);
  }
}
