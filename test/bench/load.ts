import { Agent, request as httpRequest } from "node:http";
import { answerCalls, machineMs } from "./remote.ts";
import { signedCommand, type Signed } from "./slash-command.ts";

/** Where the commands come from: a process of its own, so that it takes nothing from the event loop it measures. */

export type Round = {
  readonly port: number;
  readonly sinkPort: number;
  readonly text: string;
  /** Names the commands of the round: group/0, group/1, … */
  readonly group: string;
  readonly first: number;
  readonly requests: number;
  readonly concurrency: number;
};

export type RoundResult = {
  /** From the request sent to its whole answer, of each measured command. */
  readonly ackMs: readonly number[];
  /** Commands sent, with those that only opened the connections. */
  readonly sent: number;
  /** Commands that were answered with words in the ack itself, and so await no message. */
  readonly told: number;
  readonly notOk: number;
};

type Sent = { readonly startedAt: number; readonly ms: number; readonly status: number; readonly said: boolean };

/** Each round opens its own connections; these first requests of each are not measured. */
const OPENING = 2;

function send(agent: Agent, port: number, { body, headers }: Signed): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const startedAt = machineMs();
  const request = httpRequest(
    { agent, host: "127.0.0.1", port, path: "/slack/events", method: "POST", headers },
    (response) => {
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      response.on("end", () =>
        resolve({ startedAt, ms: machineMs() - startedAt, status: response.statusCode ?? 0, said: length > 0 }),
      );
      response.on("error", reject);
    },
  );
  request.on("error", reject);
  request.setTimeout(10_000, () => request.destroy(new Error("no answer within 10 s")));
  request.end(body);
  return promise;
}

function commandOf({ sinkPort, group, text }: Pick<Round, "sinkPort" | "group" | "text">, at: number): Signed {
  return signedCommand({
    text,
    id: `${group}.${at}`,
    responseUrl: `http://127.0.0.1:${sinkPort}/response/${group}/${at}`,
  });
}

/** Sends all, `concurrency` at a time: the next leaves as soon as one is answered. */
async function sendAll(agent: Agent, { port, concurrency }: Round, commands: readonly Signed[]): Promise<Sent[]> {
  const results: Sent[] = [];
  const queue = commands.values();
  async function worker(): Promise<void> {
    for (const command of queue) results.push(await send(agent, port, command));
  }
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}

async function fire(round: Round): Promise<RoundResult> {
  const opening = OPENING * round.concurrency;
  const total = opening + round.requests;
  const commands = Array.from({ length: total }, (_, at) => commandOf(round, round.first + at));
  const agent = new Agent({ keepAlive: true, maxSockets: round.concurrency });
  const opened = await sendAll(agent, round, commands.slice(0, opening));
  const measured = await sendAll(agent, round, commands.slice(opening));
  agent.destroy();
  const all = [...opened, ...measured];
  return {
    ackMs: measured.map(({ ms }) => ms),
    sent: total,
    told: all.filter(({ said }) => said).length,
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
  /** Sends one command and says when it left. */
  one: async ({ port, at, ...command }: Pick<Round, "port" | "sinkPort" | "group" | "text"> & { at: number }) =>
    send(oneByOne, port, commandOf(command, at)),
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
