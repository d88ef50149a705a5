import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineClock } from "../../../../../src/platform/clock.ts";
import { daemonAt } from "../../../../../src/service/engines/docker/daemon/daemon-client.ts";
import type { DaemonApi } from "../../../../../src/service/engines/docker/daemon/daemon-client.ts";

/** As a daemon's log driver stored it. The time is in nanoseconds after `BEGIN`. */
export type StoredEntry = { readonly stream: 1 | 2; readonly ns: bigint; readonly text: string | Buffer };

const BEGIN = 1_795_360_535n * 1_000_000_000n;
const NS = 1_000_000_000n;

export type LogDaemon = {
  readonly api: DaemonApi;
  /** What the log holds; tests change it. */
  entries: StoredEntry[];
  /** Times in whole seconds, as Podman's. */
  wholeSeconds: boolean;
  /** Bytes per chunk of an answer. */
  chunkBytes: number;
  /** Answers in place of the log: a status, or frames to be sent after the entries. */
  fault: { readonly status: number } | { readonly frame: Buffer } | undefined;
  /** The queries that came. */
  readonly asked: URLSearchParams[];
  /** Ends the follows that are open, as a daemon does that stops. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
};

/** A daemon that has one container's log, on a socket. Follows stay open until `cut`. */
export async function openLogDaemon(): Promise<LogDaemon> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-log-daemon-"));
  const follows = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://daemon");
    if (!url.pathname.endsWith("/logs")) {
      response.end(JSON.stringify({ Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" }));
      return;
    }
    daemon.asked.push(url.searchParams);
    void answer(daemon, url.searchParams, response).then((isFollow) => isFollow && follows.add(response));
  });
  const socketPath = join(folder, "daemon.sock");
  await new Promise<void>((resolve) => void server.listen(socketPath, resolve));
  const daemon: LogDaemon = {
    api: daemonAt({ socketPath }, machineClock),
    entries: [],
    wholeSeconds: false,
    chunkBytes: 64 * 1024,
    fault: undefined,
    asked: [],
    cut() {
      for (const response of follows) response.end();
      follows.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
  return daemon;
}

/** Whether it goes on. */
async function answer(daemon: LogDaemon, query: URLSearchParams, response: ServerResponse): Promise<boolean> {
  const { fault, chunkBytes, entries } = daemon;
  if (fault && "status" in fault) {
    response.writeHead(fault.status).end(JSON.stringify({ message: "no such container" }));
    return false;
  }
  const since = BigInt(query.get("since") ?? "0") * NS;
  const some = entries.filter(({ ns }) => BEGIN + ns >= since).slice(-Number(query.get("tail") ?? "all") || 0);
  const bytes = Buffer.concat([...some.map((entry) => frameOf(entry, daemon)), fault?.frame ?? Buffer.alloc(0)]);
  response.writeHead(200).flushHeaders();
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const isTaken = response.write(bytes.subarray(at, at + chunkBytes));
    // A chunk of its own arrives alone only when nothing else waits.
    await (isTaken ? new Promise(setImmediate) : new Promise((resolve) => void response.once("drain", resolve)));
  }
  if (query.get("follow") === "1") return true;
  response.end();
  return false;
}

export function frame(stream: number, text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function frameOf({ stream, ns, text }: StoredEntry, { wholeSeconds }: LogDaemon): Buffer {
  const at = BEGIN + ns;
  const second = new Date(Number(at / NS) * 1_000).toISOString().slice(0, 19);
  const fraction = wholeSeconds ? "" : `.${String(at % NS).padStart(9, "0")}`;
  return frame(stream, Buffer.concat([Buffer.from(`${second}${fraction}Z `), Buffer.from(text)]));
}
