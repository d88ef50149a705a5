import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Record<string, unknown>;

/** One request of the playground to the bot. */
type Received = { readonly headers: IncomingMessage["headers"]; readonly raw: string; readonly payload: Fields };

/** The bot's answer: undefined is an empty 200; "never" leaves the request open. */
type Reply =
  | {
      readonly status?: number;
      readonly body?: string;
      readonly json?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | "never"
  | undefined;

export type SmallBot = {
  readonly url: string;
  readonly received: readonly Received[];
  readonly last: () => Fields;
  /** Answers the next requests. */
  answer: (payload: Fields) => Reply;
  readonly stop: () => Promise<void>;
};

function isSigned(secret: string, request: IncomingMessage, raw: string): boolean {
  const ageSeconds = Date.now() / 1000 - Number(request.headers["x-slack-request-timestamp"]);
  if (ageSeconds > 300) return false;
  const base = `v0:${String(request.headers["x-slack-request-timestamp"])}:${raw}`;
  const wanted = `v0=${createHmac("sha256", secret).update(base).digest("hex")}`;
  const signature = String(request.headers["x-slack-signature"]);
  return wanted.length === signature.length && timingSafeEqual(Buffer.from(wanted), Buffer.from(signature));
}

function payloadOf(request: IncomingMessage, raw: string): Fields {
  if (request.headers["content-type"] === "application/json") return JSON.parse(raw);
  const form = Object.fromEntries(new URLSearchParams(raw));
  return form["payload"] === undefined ? form : JSON.parse(form["payload"]);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === "never") return;
  const isJson = reply?.json !== undefined;
  response.writeHead(reply?.status ?? 200, {
    ...(isJson ? { "content-type": "application/json" } : {}),
    ...reply?.headers,
  });
  response.end(isJson ? JSON.stringify(reply.json) : (reply?.body ?? ""));
}

/** A minimal bot: it verifies signatures, records requests and answers as the test wants. */
export async function startSmallBot(secret: string): Promise<SmallBot> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    void bodyOf(request).then((raw) => {
      if (!isSigned(secret, request, raw)) return send(response, { status: 401 });
      const payload = payloadOf(request, raw);
      received.push({ headers: request.headers, raw, payload });
      return send(response, bot.answer(payload));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  const bot: SmallBot = {
    url: `http://127.0.0.1:${port}/slack/events`,
    received,
    last: () => received.at(-1)?.payload ?? {},
    answer: () => undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return bot;
}
