import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What a person did, as it came from Slack. */
export type Delivered = {
  readonly id: string;
  readonly userId: string;
  isAcked: boolean;
};

type Request = Delivered & { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> };

export type LoadBalancerOptions = {
  /** Of the replicas that take deliveries. */
  readonly ports: () => readonly number[];
  readonly onTrace: (line: string) => void;
};

/** Everything that came from Slack, over either transport. */
export type Deliveries = {
  /** Since the last `forget`, oldest first. */
  readonly delivered: () => readonly Delivered[];
  readonly forget: () => void;
  /** The same delivery once more, as a load balancer may send it; whether it was acked. Never over Socket Mode. */
  readonly repeat: (delivery: Delivered) => Promise<boolean>;
  /** Acks that came after Slack would have given up: on a quiet machine there are none. */
  readonly lateAcks: () => number;
  readonly close: () => Promise<void>;
};

export type LoadBalancer = Deliveries & { readonly url: string };

/** Slack's limit: https://docs.slack.dev/interactivity/slash-commands. A later ack is counted, and is an ack. */
export const ACK_MS = 3_000;
/** Here an ack may be late because the machine is busy. */
export const PATIENT_ACK_MS = 60_000;

/** A small load balancer: one replica after the other. When the one it chose dies meanwhile, the delivery has failed. */
export async function openLoadBalancer({ ports, onTrace }: LoadBalancerOptions): Promise<LoadBalancer> {
  let late = 0;
  let delivered: Request[] = [];
  let turn = 0;
  const pass = async (delivery: Request): Promise<Response | undefined> => {
    const open = ports();
    turn += 1;
    const port = open[turn % Math.max(1, open.length)];
    if (port === undefined) return undefined;
    const since = performance.now();
    const note = (what: string): void => onTrace(`${delivery.userId} → port ${port}, ${delivery.id}: ${what}`);
    try {
      const { body, headers } = delivery;
      const url = `http://127.0.0.1:${port}/slack/events`;
      const signal = AbortSignal.timeout(PATIENT_ACK_MS);
      const response = await fetch(url, { method: "POST", headers, body: Uint8Array.from(body), signal });
      delivery.isAcked ||= response.ok;
      const tookMs = performance.now() - since;
      if (response.ok && tookMs > ACK_MS) late += 1;
      note(`${response.status} after ${Math.round(tookMs)} ms`);
      return response;
    } catch (error) {
      note(`no answer: ${String(error)}`);
      return undefined;
    }
  };
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // no encoding is set
    const delivery = deliveryOf(Buffer.concat(chunks), incoming);
    delivered.push(delivery);
    const response = await pass(delivery);
    if (response === undefined) return void outgoing.writeHead(502).end();
    const text = await response.text();
    const type = response.headers.get("content-type");
    outgoing.writeHead(response.status, type === null ? {} : { "content-type": type }).end(text);
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}/slack/events`,
    delivered: () => delivered,
    forget: () => void (delivered = []),
    lateAcks: () => late,
    async repeat(delivery) {
      const request = delivered.find((each) => each === delivery);
      return request !== undefined && (await pass(request))?.ok === true;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const carried = ["content-type", "x-slack-request-timestamp", "x-slack-signature"];

function deliveryOf(body: Buffer, { headers }: IncomingMessage): Request {
  if (headers["content-type"] === "application/json") return eventOf(body, headers);
  const form = new URLSearchParams(body.toString());
  const payload = form.get("payload");
  const parsed =
    payload === null ? undefined : (JSON.parse(payload) as { trigger_id?: string; user?: { id?: string } }); // Slack's
  return {
    id: parsed?.trigger_id ?? form.get("trigger_id") ?? "",
    userId: parsed?.user?.id ?? form.get("user_id") ?? "",
    body,
    headers: carriedIn(headers),
    isAcked: false,
  };
}

type Headers = IncomingMessage["headers"];

function carriedIn(headers: Headers): Request["headers"] {
  return Object.fromEntries(
    carried.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

/** What was said: the same id for each edit of the same message, as the bot has it. */
function eventOf(body: Buffer, headers: Headers): Request {
  const { team_id, event } = JSON.parse(body.toString()) as {
    team_id: string;
    event: { user: string; channel: string; ts: string };
  }; // an app_mention, the only event of this app
  const id = saidId({ team: team_id, channel: event.channel, ts: event.ts });
  return { id, userId: event.user, body, headers: carriedIn(headers), isAcked: false };
}

/** The id under which the bot stores a message. */
export function saidId({ team, channel, ts }: { team: string; channel: string; ts: string }): string {
  return `said:${team}:${channel}:${ts}`;
}
