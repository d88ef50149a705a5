import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Clock } from "../../../../platform/clock.ts";
import type { DaemonAddress } from "./daemon-address.ts";
import type { DaemonApi, DaemonEvent, PullLine, PullOptions } from "./daemon-api.ts";
import {
  askerOf,
  connectTo,
  type DaemonConnection,
  askForStream,
  askOnce,
  messageOf,
  parsed,
  type DaemonCall,
  type DaemonAsker,
} from "./daemon-connection.ts";
import { containerCalls } from "./daemon-containers.ts";
import { DaemonError, isLost, isPodmanError } from "./daemon-error.ts";
import { Event, Image, Info, Line, Version, Created, Networks, Volume } from "./daemon-schemas.ts";

const PING_MS = 10_000;

/** The daemon's API over HTTP on its socket. */
export function daemonAt(address: DaemonAddress, clock: Pick<Clock, "limit">): DaemonApi {
  const connection = connectTo(address, clock);
  const asker = askerOf(connection);
  const { read, find } = asker;
  return {
    async about(limitMs) {
      const [version, info] = await Promise.all([
        read(Version, "/version", { limitMs }),
        read(Info, "/info", { limitMs }),
      ]);
      const isPodman = version.Components?.some(({ Name }) => Name.startsWith("Podman")) ?? false;
      return {
        kind: isPodman ? "podman" : "docker",
        version: version.Version,
        memoryMib: info.MemTotal / 1024 / 1024,
        limitsMemory: info.MemoryLimit ?? true,
        dataFolder: info.DockerRootDir,
        isRootless: info.SecurityOptions?.includes("name=rootless") ?? false,
      };
    },
    ping: async () => void (await askOnce(connection, { method: "GET", path: "/_ping", limitMs: PING_MS })),
    ...containerCalls(connection, asker),
    async readLogs(id, { since, follow, tail = "all", signal }) {
      const range = { since: String(since), tail: String(tail), follow: follow ? "1" : "0" };
      const query = { ...range, stdout: "1", stderr: "1", timestamps: "1" };
      return await streamed(connection, { method: "GET", path: `/containers/${id}/logs`, query, signal });
    },
    async events(label, signal) {
      const filters = JSON.stringify({ type: ["container"], label: [label] });
      return eventsIn(await streamed(connection, { method: "GET", path: "/events", query: { filters }, signal }));
    },
    inspectImage: async (image) => {
      const found = await find(Image, `/images/${encodeURIComponent(image)}/json`);
      return found && { id: found.Id, digests: found.RepoDigests ?? [] };
    },
    pullImage: (image, options) => pull(connection, image, options),
    ...networkAndVolumeCalls(connection, asker),
  };
}

async function* eventsIn(stream: Readable): AsyncGenerator<DaemonEvent> {
  for await (const value of jsonLines(stream)) {
    const { Action, Actor } = Event.parse(value);
    yield { id: Actor.ID, action: Action };
  }
}

async function streamed(daemon: DaemonConnection, call: DaemonCall): Promise<Readable> {
  const answer = await askForStream(daemon, call);
  const status = answer.statusCode ?? 0;
  if (status >= 400) throw new DaemonError(status, messageOf(parsed(await text(answer))));
  return answer;
}

async function* pull(daemon: DaemonConnection, image: string, { auth, signal }: PullOptions): AsyncGenerator<PullLine> {
  const headers = auth === undefined ? {} : { "x-registry-auth": auth };
  const stream = await streamed(daemon, {
    method: "POST",
    path: "/images/create",
    query: { fromImage: image },
    headers,
    signal,
    isRepeatable: true,
  });
  for await (const value of jsonLines(stream)) yield Line.parse(value);
}

/** Rejects with a `DaemonError` when the stream breaks off. A reader that leaves ends the call. */
async function* jsonLines(stream: Readable): AsyncGenerator {
  // Nobody listens once readline is closed, and an unhandled error would crash this process.
  stream.on("error", () => undefined);
  try {
    for await (const line of createInterface({ input: stream })) {
      if (line.trim() !== "") yield JSON.parse(line);
    }
  } catch (error) {
    throw new DaemonError(undefined, "its answer broke off", { cause: error });
  } finally {
    stream.destroy();
  }
}

const MOST_LOST_RACES = 5;

function networkAndVolumeCalls(
  daemon: DaemonConnection,
  { read, find, post }: DaemonAsker,
): Pick<DaemonApi, "ensureVolume" | "ensureNetwork" | "listNetworks" | "removeNetwork"> {
  return {
    async ensureVolume(name, labels) {
      if (await find(Volume, `/volumes/${name}`)) return;
      await post("/volumes/create", { body: { Name: name, Labels: labels }, isRepeatable: true });
    },
    async ensureNetwork(name, labels) {
      for (let lost = 0; ; lost += 1) {
        if (await find(Created, `/networks/${name}`)) return;
        try {
          await post("/networks/create", { body: { Name: name, Labels: labels, CheckDuplicate: true } }, [409]);
          return;
        } catch (error) {
          // Podman looks for a free subnet among the host's interfaces, and fails if one of them vanishes meanwhile.
          const isRace = isPodmanError(error, "no such network interface");
          // Without an answer, it may be there.
          if (lost >= MOST_LOST_RACES || !(isRace || isLost(error))) throw error;
        }
      }
    },
    async listNetworks(label) {
      const filters = JSON.stringify({ label: [label] });
      return (await read(Networks, "/networks", { query: { filters } })).map(({ Name }) => Name);
    },
    async removeNetwork(name) {
      try {
        await askOnce(daemon, { method: "DELETE", path: `/networks/${name}` }, [404, 403, 409]);
      } catch (error) {
        if (!isPodmanError(error, "network is being used")) throw error;
      }
    },
  };
}
