import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, readBody } from "./listen.ts";
import { markIn, viewOf } from "./marks.ts";
import { answerCalls, machineMs } from "./remote.ts";

/**
 * Where Slack would be: just enough Web API, and the response_url of each command. A process of its own. A message
 * counts, and is stamped, when Slack has taken it: after the latency, when the answer leaves.
 */

type Count = { readonly messages: number; readonly commands: number };

const identity = { ok: true, url: "https://bench.slack.com/", team: "Bench", team_id: "T0BENCH", bot_id: "B0BENCH" };
const webApi: Readonly<Record<string, object>> = {
  "/api/auth.test": { ...identity, user: "gantry", user_id: "U0BOT" },
  "/api/users.info": { ok: true, user: { id: "U0BENCH", team_id: "T0BENCH", name: "bench", real_name: "Bench" } },
  // Nobody there who could approve: what needs an approval is stored, judged, and answered with that.
  "/api/conversations.members": { ok: true, members: ["U0BOT"], response_metadata: { next_cursor: "" } },
  "/api/chat.postMessage": { ok: true, channel: "C0BENCH", ts: "1763600000.000100", message: { text: "" } },
  "/api/chat.postEphemeral": { ok: true, message_ts: "1763600000.000100" },
};

/** The method, and which field of its arguments says what it answers. */
const marked: Readonly<Record<string, string>> = {
  "/api/views.open": "trigger_id",
  "/api/views.update": "view_id",
  "/api/views.publish": "user_id",
};

/** A view that was drawn, and for which delivery. */
type Drawn = { readonly method: string; readonly group: string; readonly at: number; readonly view: string };

function drawnIn(url: string, body: string): Drawn | undefined {
  const fields = new URLSearchParams(marked[url] === undefined ? "" : body);
  const mark = markIn(fields.get(marked[url] ?? "") ?? "");
  return mark === undefined ? undefined : { method: url.replace("/api/", ""), ...mark, view: fields.get("view") ?? "" };
}

let socketPort = 0;

/** An app is told apart by its token. */
function ticketFor({ headers }: IncomingMessage): string {
  const token = headers.authorization?.replace("Bearer ", "") ?? "";
  return JSON.stringify({ ok: true, url: `ws://127.0.0.1:${socketPort}/${token}` });
}

let latencyMs = 0;
let lastBody = "";
/** Each view drawn last, by method and group. */
const views = new Map<string, string>();
/** Per group of commands: when the first message of a command came, and how many there were. */
const groups = new Map<string, Map<string, { at: number; messages: number }>>();
const waiting = new Set<() => void>();

function took(group: string, command: string): void {
  const commands = groups.get(group) ?? new Map<string, { at: number; messages: number }>();
  groups.set(group, commands);
  const seen = commands.get(command) ?? { at: machineMs(), messages: 0 };
  commands.set(command, { at: seen.at, messages: seen.messages + 1 });
  for (const look of waiting) look();
}

const port = await listen((request, response) => {
  async function answer(): Promise<void> {
    const body = await readBody(request);
    if (request.url === "/api/apps.connections.open") return void response.end(ticketFor(request));
    const drawn = drawnIn(request.url ?? "", body);
    // A trigger lives from the click on: it counts when this arrives.
    if (drawn?.method === "views.open") took(groupOf(drawn), String(drawn.at));
    if (latencyMs > 0) await sleep(latencyMs);
    const [, kind, group, command] = (request.url ?? "").split("/");
    const isMessage = kind === "response" && group !== undefined && command !== undefined;
    const answered = drawn === undefined ? webApi[request.url ?? ""] : { ok: true, view: { id: viewOf(drawn) } };
    const text = isMessage ? "ok" : JSON.stringify(answered ?? { ok: false, error: "unknown_method" });
    response.writeHead(200, { "content-type": isMessage ? "text/plain" : "application/json" });
    response.end(text);
    if (drawn !== undefined) views.set(groupOf(drawn), drawn.view);
    if (drawn !== undefined && drawn.method !== "views.open") took(groupOf(drawn), String(drawn.at));
    // “Working on it” isn't the answer.
    if (!isMessage || body.includes("Working on it")) return;
    lastBody = body;
    took(group, command);
  }
  answer().catch(() => response.destroy());
});

/** Views are counted apart from messages. */
function groupOf({ method, group }: Pick<Drawn, "method" | "group">): string {
  return `${method} ${group}`;
}

/** Resolves when `isDone`, or when nothing has come for `quietMs`. */
async function until(isDone: () => boolean, quietMs: number): Promise<void> {
  if (isDone()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, quietMs);
  const look = (): void => {
    if (isDone()) resolve();
    else timer.refresh();
  };
  waiting.add(look);
  await promise;
  clearTimeout(timer);
  waiting.delete(look);
}

function countOf(group: string): Count {
  const commands = [...(groups.get(group)?.values() ?? [])];
  return { commands: commands.length, messages: commands.reduce((sum, { messages }) => sum + messages, 0) };
}

const calls = {
  port: () => port,
  /** Where apps open their WebSockets. */
  socketsAt(given: number) {
    socketPort = given;
  },
  latency(ms: number) {
    latencyMs = ms;
  },
  /** A group is that of the deliveries; of their views "METHOD GROUP". How many commands of it have a message: when that many have, or when no more come. */
  async messaged({ group, commands, quietMs }: { group: string; commands: number; quietMs: number }) {
    await until(() => (groups.get(group)?.size ?? 0) >= commands, quietMs);
    return countOf(group);
  },
  /** When the message of one command was taken, in `machineMs`. */
  async takenAt({ group, command, quietMs }: { group: string; command: string; quietMs: number }) {
    await until(() => groups.get(group)?.has(command) === true, quietMs);
    return groups.get(group)?.get(command)?.at ?? null;
  },
  lastBody: () => lastBody,
  /** The view of a group that was drawn last, as JSON. */
  lastView: ({ method, group }: { method: string; group: string }) => views.get(groupOf({ method, group })) ?? "",
};

export type SinkCalls = typeof calls;

answerCalls(calls);
