import { Agent, request as httpRequest } from "node:http";
import { commandEnvelope, type Delivery, type DeliveryKind, signedDelivery } from "./delivery.ts";
import { answerCalls, machineMs } from "./remote.ts";
import { measureRefresh } from "./refresh.ts";
import type { Signed } from "./signed.ts";
import { startSocketSlack } from "./socket-slack.ts";

/** Where the deliveries come from: a process of its own, so that it takes nothing from the event loop it measures. */

export type Round = {
  /** Where the app takes requests, or under which token it has its connections. */
  readonly to: { readonly port: number } | { readonly appToken: string };
  readonly sinkPort: number;
  readonly kind: DeliveryKind;
  /** Sent in turn. */
  readonly texts: readonly string[];
  readonly person?: string;
  /** Names the deliveries of the round: group/0, group/1, … */
  readonly group: string;
  readonly first: number;
  readonly requests: number;
  readonly concurrency: number;
};

export type RoundResult = {
  /** From the request sent to its whole answer, of each measured delivery. */
  readonly ackMs: readonly number[];
  /** Commands sent, with those that only opened the connections. */
  readonly sent: number;
  /** Commands that were answered with words in the ack itself, and so await no message. */
  readonly told: number;
  readonly notOk: number;
};

type Sent = { readonly startedAt: number; readonly ms: number; readonly status: number; readonly answer: string };

/** Each round opens its own connections; these first requests of each are not measured. */
const OPENING = 2;

function send(agent: Agent, port: number, { body, headers }: Signed): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const startedAt = machineMs();
  const request = httpRequest(
    { agent, host: "127.0.0.1", port, path: "/slack/events", method: "POST", headers },
    (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => void chunks.push(chunk));
      response.on("end", () => {
        const ms = machineMs() - startedAt;
        resolve({ startedAt, ms, status: response.statusCode ?? 0, answer: Buffer.concat(chunks).toString("utf8") });
      });
      response.on("error", reject);
    },
  );
  request.on("error", reject);
  request.setTimeout(10_000, () => request.destroy(new Error("no answer within 10 s")));
  request.end(body);
  return promise;
}

const sockets = await startSocketSlack();

async function sendEnvelope(appToken: string, envelope: ReturnType<typeof commandEnvelope>): Promise<Sent> {
  const startedAt = machineMs();
  const { endedAt, answer } = await sockets.deliver(appToken, envelope);
  return { startedAt, ms: endedAt - startedAt, status: 200, answer };
}

/** Sends it when it is called: what is sent is ready by then. */
type Shot = () => Promise<Sent>;

function shotOf({ to, sinkPort, kind, texts, group, person }: Round, at: number, agent: Agent): Shot {
  const text = texts[at % texts.length] ?? "";
  const delivery = { kind, text, sinkPort, group, at, ...(person !== undefined && { person }) };
  if ("appToken" in to) {
    const envelope = commandEnvelope(delivery);
    return () => sendEnvelope(to.appToken, envelope);
  }
  const request = signedDelivery(delivery);
  return () => send(agent, to.port, request);
}

/** Sends all, `concurrency` at a time: the next leaves as soon as one is answered. */
async function sendAll({ concurrency }: Round, shots: readonly Shot[]): Promise<Sent[]> {
  const results: Sent[] = [];
  const queue = shots.values();
  async function worker(): Promise<void> {
    for (const shot of queue) results.push(await shot());
  }
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}

async function fire(round: Round): Promise<RoundResult> {
  const opening = OPENING * round.concurrency;
  const total = opening + round.requests;
  const agent = new Agent({ keepAlive: true, maxSockets: round.concurrency });
  const shots = Array.from({ length: total }, (_, at) => shotOf(round, round.first + at, agent));
  const opened = await sendAll(round, shots.slice(0, opening));
  const measured = await sendAll(round, shots.slice(opening));
  agent.destroy();
  const all = [...opened, ...measured];
  return {
    ackMs: measured.map(({ ms }) => ms),
    sent: total,
    told: all.filter(({ answer }) => answer.length > 0).length,
    notOk: all.filter(({ status }) => status !== 200).length,
  };
}

const oneByOne = new Agent({ keepAlive: true, maxSockets: 1 });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = machineMs();
  await work();
  return machineMs() - startedAt;
}

const calls = {
  fire,
  socketPort: () => sockets.port,
  refresh: (what: Parameters<typeof measureRefresh>[1]) => measureRefresh(sockets, what),
  /** Sends one delivery, and says when it left and what its ack said. */
  one: async ({ port, ...delivery }: Delivery & { readonly port: number }) =>
    send(oneByOne, port, signedDelivery(delivery)),
  /** The same read of the workload API, alone. */
  apiAlone: ({ url, headers }: { url: string; headers: Record<string, string> }) =>
    timed(async () => (await fetch(url, { headers })).text()),
  /** The same message to Slack, alone. */
  slackAlone: ({ url, body }: { url: string; body: string }) =>
    timed(async () =>
      (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })).text(),
    ),
};

export type LoadCalls = typeof calls;

answerCalls(calls);
