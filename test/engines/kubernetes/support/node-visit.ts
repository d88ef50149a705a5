import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as rest } from "node:timers/promises";

const ANSWER_WITHIN_MS = 10_000;

/**
 * The connection never left the node: kube-proxy holds each node port with a socket of its own that answers nobody, and a
 * connection that begins while it replaces its rules can end there.
 */
export class HeldByTheNode extends Error {}

/** Asks at a node port, over a connection of its own. */
export async function visitNode(address: string): Promise<string> {
  const url = new URL(`http://${address}/`);
  const request = get(url, { agent: false });
  const answered = new AbortController();
  const late = rest(ANSWER_WITHIN_MS, undefined, { signal: answered.signal });
  const answer = await Promise.race([textOf(request), late]).finally(() => answered.abort());
  if (answer !== undefined) return answer;
  const ownPort = request.socket?.localPort;
  const isHeld = ownPort !== undefined && (await isOnThisMachine(Number(url.port), ownPort));
  request.on("error", () => undefined).destroy();
  throw isHeld ? new HeldByTheNode(address) : new Error(`${address} didn't answer in time`);
}

async function textOf(request: ClientRequest): Promise<string> {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return await text(response);
}

/** Whether a socket of this machine, outside any pod, is the other end of a connection between these ports. */
async function isOnThisMachine(port: number, peerPort: number): Promise<boolean> {
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, "0");
  const ends = new RegExp(`:${hex(port)} [0-9A-F]+:${hex(peerPort)} `, "u");
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8")));
  return tables.some((table) => ends.test(table));
}
