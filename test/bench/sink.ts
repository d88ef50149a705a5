import { setTimeout as sleep } from "node:timers/promises";
import { listen, readBody } from "./listen.ts";
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

let latencyMs = 0;
let lastBody = "";
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
    if (latencyMs > 0) await sleep(latencyMs);
    const [, kind, group, command] = (request.url ?? "").split("/");
    const isMessage = kind === "response" && group !== undefined && command !== undefined;
    const text = isMessage ? "ok" : JSON.stringify(webApi[request.url ?? ""] ?? { ok: false, error: "unknown_method" });
    response.writeHead(200, { "content-type": isMessage ? "text/plain" : "application/json" });
    response.end(text);
    if (!isMessage) return;
    lastBody = body;
    took(group, command);
  }
  answer().catch(() => response.destroy());
});

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
  latency(ms: number) {
    latencyMs = ms;
  },
  /** How many commands of a group have a message: when that many have, or when no more come. */
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
};

export type SinkCalls = typeof calls;

answerCalls(calls);
