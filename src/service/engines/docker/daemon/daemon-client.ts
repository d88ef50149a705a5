import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Clock } from "../../../../platform/clock.ts";
import type { DaemonAddress } from "./daemon-address.ts";
import { connectTo, type DaemonConnection } from "./daemon-connection.ts";
import { containerCalls } from "./daemon-containers.ts";
import { DaemonError, isLost, isPodmanError } from "./daemon-error.ts";
import { About, Created, Event, Image, type Labels, Line, Networks, Version, Volume } from "./daemon-schemas.ts";

const PING_MS = 10_000;

/** The calls of Docker's API that the engine makes; Podman answers the same ones. Each rejects with a `DaemonError`. */
export type DaemonApi = ReturnType<typeof daemonAt>;

export type DaemonAbout = Awaited<ReturnType<DaemonApi["about"]>>;

type LogQuery = {
  /** In whole seconds since 1970. */
  readonly since: number;
  /** Goes on with new entries until the container ends. */
  readonly follow: boolean;
  /** Only so many of the newest entries. */
  readonly tail?: number;
  readonly signal: AbortSignal;
};

type PullOptions = { readonly auth: string | undefined; readonly signal: AbortSignal };

/** The daemon's API over HTTP on its socket. */
export function daemonAt(address: DaemonAddress, clock: Pick<Clock, "limit">) {
  const connection = connectTo(address, clock);
  const { ask, read, find, stream } = connection;
  return {
    async about(limitMs?: number) {
      const [version, info] = await Promise.all([
        read(Version, { path: "/version", limitMs }),
        read(About, { path: "/info", limitMs }),
      ]);
      const isPodman = version.Components?.some(({ Name }) => Name.startsWith("Podman")) ?? false;
      return { ...info, kind: isPodman ? ("podman" as const) : ("docker" as const), version: version.Version };
    },
    /** Resolves when it answers at all. */
    ping: async (): Promise<void> => void (await ask({ path: "/_ping", limitMs: PING_MS })),
    ...containerCalls(connection),
    /** Standard output and error in frames, as the daemon sends them. Each entry begins with its time. */
    async readLogs(id: string, { since, follow, tail, signal }: LogQuery): Promise<Readable> {
      const range = { since: String(since), tail: String(tail ?? "all"), follow: follow ? "1" : "0" };
      const query = { ...range, stdout: "1", stderr: "1", timestamps: "1" };
      return await stream({ path: `/containers/${id}/logs`, query, signal });
    },
    /** Resolves once the daemon tells events of containers with this label, until the signal aborts or the daemon ends it. */
    async events(label: string, signal: AbortSignal): Promise<AsyncIterable<Event>> {
      const filters = JSON.stringify({ type: ["container"], label: [label] });
      return valuesIn(Event, await stream({ path: "/events", query: { filters }, signal }));
    },
    /** Undefined when the daemon doesn't have it. */
    inspectImage: async (image: string) => await find(Image, `/images/${encodeURIComponent(image)}/json`),
    /** Yields each line of the answer; one with `error` says why the pull failed, inside an answer with status 200. */
    async *pullImage(image: string, { auth, signal }: PullOptions): AsyncGenerator<Line> {
      const headers = auth === undefined ? {} : { "x-registry-auth": auth };
      const query = { fromImage: image };
      const call = { method: "POST", path: "/images/create", query, headers, signal, isRepeatable: true } as const;
      yield* valuesIn(Line, await stream(call));
    },
    /** Does nothing when it exists. */
    async ensureVolume(name: string, labels: Labels): Promise<void> {
      if (await find(Volume, `/volumes/${name}`)) return;
      await ask({ method: "POST", path: "/volumes/create", body: { Name: name, Labels: labels }, isRepeatable: true });
    },
    ensureNetwork: (name: string, labels: Labels) => ensureNetwork(name, labels, connection),
    /** Names of the networks with this label. */
    async listNetworks(label: string): Promise<readonly string[]> {
      const filters = JSON.stringify({ label: [label] });
      return (await read(Networks, { path: "/networks", query: { filters } })).map(({ Name }) => Name);
    },
    /** Does nothing while it has containers, or when there is none. */
    async removeNetwork(name: string): Promise<void> {
      try {
        await ask({ method: "DELETE", path: `/networks/${name}` }, [404, 403, 409]);
      } catch (error) {
        if (!isPodmanError(error, "network is being used")) throw error;
      }
    },
  };
}

/** The values of an answer with one on each line. A reader that leaves ends the call. */
async function* valuesIn<T>(schema: { readonly parse: (value: unknown) => T }, stream: Readable): AsyncGenerator<T> {
  // It passes on the stream's errors, also when its reader has left: nobody else listens then, and this process would crash.
  const lines = createInterface({ input: stream }).on("error", () => undefined);
  try {
    for await (const line of lines) {
      if (line.trim() !== "") yield schema.parse(JSON.parse(line));
    }
  } catch (error) {
    throw new DaemonError(undefined, "its answer broke off", { cause: error });
  } finally {
    stream.destroy();
  }
}

const MOST_LOST_RACES = 5;

/** Does nothing when it exists. */
async function ensureNetwork(name: string, labels: Labels, { ask, find }: DaemonConnection): Promise<void> {
  const body = { Name: name, Labels: labels, CheckDuplicate: true };
  for (let lost = 0; ; lost += 1) {
    if (await find(Created, `/networks/${name}`)) return;
    try {
      await ask({ method: "POST", path: "/networks/create", body }, [409]);
      return;
    } catch (error) {
      // Podman looks for a free subnet among the host's interfaces, and fails if one of them vanishes meanwhile.
      const isRace = isPodmanError(error, "no such network interface");
      // Without an answer, it may be there.
      if (lost >= MOST_LOST_RACES || !(isRace || isLost(error))) throw error;
    }
  }
}
