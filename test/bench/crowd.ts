import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { apiPort, counted, FEW, hold, nextSize, SCALED, setFailing, type Size } from "./crowd-api.ts";
import { answerPath, commandEnvelope, type DeliveryKind, personOf, signedDelivery, viewOf } from "./delivery.ts";
import { listen, readBody } from "./listen.ts";
import { answerCalls, machineMs } from "./remote.ts";
import { startSocketSlack } from "./socket-slack.ts";

/**
 * People who wait for what they asked for, the Slack that takes it, and the workload API: one process, on the other core.
 * Everything is answered at once.
 */

const team = { ok: true, url: "https://bench.slack.com/", team: "Bench", bot_id: "B0BENCH" };

/** Workspaces that install the app; a bot token names its workspace. */
function workspace(at: number): string {
  return `T0TOWN${at}`;
}

function workspaceOf(token: string): string {
  return /T0TOWN\d+/u.exec(token)?.[0] ?? "T0BENCH";
}

const sockets = await startSocketSlack();
let messages = 0;

function slackAnswer(method: string, fields: URLSearchParams, token: string): object {
  switch (method) {
    case "auth.test":
      return { ...team, team_id: workspaceOf(token), user: "gantry", user_id: "U0BOT" };
    case "oauth.v2.access": {
      const id = fields.get("code") ?? "";
      const bot = { access_token: `xoxb-${id}`, token_type: "bot", scope: "commands,chat:write", bot_user_id: "U0BOT" };
      return { ok: true, ...bot, app_id: "A0BENCH", team: { id, name: id }, authed_user: { id: "U0BENCH" } };
    }
    case "apps.connections.open":
      // An app is told apart by its token.
      return { ok: true, url: `ws://127.0.0.1:${sockets.port}/${token}` };
    case "users.info": {
      const id = fields.get("user") ?? "U0BENCH";
      return { ok: true, user: { id, team_id: workspaceOf(token), name: "bench", real_name: "Bench" } };
    }
    case "conversations.members":
      return { ok: true, members: ["U0BOT", "U0BENCH"], response_metadata: { next_cursor: "" } };
    case "conversations.info":
      return { ok: true, channel: { id: "C0BENCH", name: "deploys", is_channel: true, is_member: true } };
    case "chat.postMessage":
    case "chat.update":
      messages += 1;
      return {
        ok: true,
        channel: "C0BENCH",
        ts: fields.get("ts") ?? `1763600000.${String(messages).padStart(6, "0")}`,
      };
    case "views.update":
    case "views.publish":
      return { ok: true, view: { id: "V0HOME" } };
    case "chat.postEphemeral":
      return { ok: true, message_ts: "1763600000.000100" };
    default:
      return { ok: false, error: "unknown_method" };
  }
}

/** By the path of their response_url, by who opened Home, or by the form: who waits for a message or a view. */
const waiting = new Map<string, (atMs: number) => void>();
/** By what the card says, "svc-1 scaled to 3": who waits for it. Later looks at a service draw its earlier cards again. */
const settling = new Map<string, () => void>();

/** Who waits for a message or an update, by what its text has to match. */
let news: { readonly of: RegExp; readonly heard: () => void } | undefined;

function hears(of: RegExp): Promise<void> {
  return new Promise((heard) => {
    news = { of, heard };
  });
}

/** What a card says of the end of a scale; undefined while the health of the service isn't known. */
function settledScale(text: string): string | undefined {
  return /⏳|checking/u.test(text) ? undefined : /svc-\d+ scaled to \d+/u.exec(text)?.[0];
}

const slackPort = await listen((request, response) => {
  async function answer(): Promise<void> {
    const body = await readBody(request);
    const url = request.url ?? "";
    if (url.startsWith("/response/")) {
      response.end("ok");
      // Said after a while; the answer follows.
      if (body.includes("Working on it")) return;
      waiting.get(url)?.(machineMs());
      return;
    }
    const method = url.replace("/api/", "");
    const fields = new URLSearchParams(body);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(slackAnswer(method, fields, request.headers.authorization?.replace("Bearer ", "") ?? "")),
    );
    const isConnected = method === "views.update" && fields.get("view")?.includes("Account connected") === true;
    if (isConnected) waiting.get(fields.get("view_id") ?? "")?.(machineMs());
    if (method === "views.publish") waiting.get(fields.get("user_id") ?? "")?.(machineMs());
    if (method.startsWith("chat.") && news?.of.test(fields.get("text") ?? "") === true) news.heard();
    if (method.startsWith("chat.")) settling.get(settledScale(fields.get("text") ?? "") ?? "")?.();
  }
  answer().catch(() => response.destroy());
});

/** Apps close a connection that nobody has used for 5 s: it isn't used again shortly before. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 3_000 });
let sent = 0;

type Said = {
  /** Milliseconds from sending. */
  readonly acked: Promise<number>;
  readonly answered: Promise<number>;
};

function say(port: number, text: string, person?: string): Said {
  return deliver(port, { kind: "command", text, person });
}

type Sending = {
  readonly kind: DeliveryKind;
  readonly text: string;
  readonly person?: string | undefined;
  readonly teamId?: string | undefined;
};

function deliver(port: number, { kind, text, person, teamId }: Sending): Said {
  const at = (sent += 1);
  const key = { home: personOf(at), connect: viewOf(at), command: answerPath(at), pick: `pick ${at}` }[kind];
  const { body, headers } = signedDelivery({
    kind,
    text,
    slackPort,
    at,
    ...(person && { person }),
    ...(teamId && { teamId }),
  });
  const startedAt = machineMs();
  const answered = answerAt(key, startedAt);
  const acked = new Promise<number>((resolve, reject) => {
    const request = httpRequest(
      { agent, host: "127.0.0.1", port, path: "/slack/events", method: "POST", headers },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`the app answered ${response.statusCode}`));
        response.resume().on("end", () => resolve(machineMs() - startedAt));
      },
    );
    request.on("error", reject).end(body);
  });
  return { acked, answered };
}

function answerAt(key: string, startedAt: number): Promise<number> {
  return new Promise((resolve) => {
    waiting.set(key, (atMs) => {
      waiting.delete(key);
      resolve(atMs - startedAt);
    });
  });
}

/** A command over Socket Mode. */
function sayOver(appToken: string, text: string): Said {
  const at = (sent += 1);
  const envelope = commandEnvelope({ kind: "command", text, slackPort, at });
  const startedAt = machineMs();
  const answered = answerAt(answerPath(at), startedAt);
  return { acked: sockets.deliver(appToken, envelope).then((endedAt) => endedAt - startedAt), answered };
}

/** So many at a time, each as soon as the one before has ended. Resolves to how long all of them took. */
async function atOnce(concurrency: number, times: number, one: (worker: number) => Promise<void>): Promise<number> {
  const startedAt = machineMs();
  let left = times;
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      while (left > 0) {
        left -= 1;
        await one(worker);
      }
    }),
  );
  return machineMs() - startedAt;
}

/** By somebody else than the last time: nobody scales a service again in the moment in which its card appears. */
async function scale(port: number, at: number): Promise<void> {
  const name = `svc-${at + 1}`;
  const size = nextSize(name);
  const settled = new Promise<void>((resolve) => settling.set(`${name} scaled to ${size}`, resolve));
  await say(port, `scale ${name} ${size}`, scaler((at + size) % SCALED)).acked;
  await settled;
}

function scaler(at: number): string {
  return `USCALERX${at}`;
}

function worker(at: number): string {
  return `UWORKERX${at}`;
}

/** As a browser does it. */
async function install(port: number, teamId: string): Promise<void> {
  const url = `http://127.0.0.1:${port}/slack`;
  const page = await fetch(`${url}/install`, { redirect: "manual" });
  const state = /[?&;]state=([^&"]+)/u.exec(page.headers.get("location") ?? (await page.text()))?.[1] ?? "";
  const cookie = page.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const back = await fetch(`${url}/oauth_redirect?code=${teamId}&state=${state}`, { headers: { cookie } });
  if (!back.ok) throw new Error(`the app wasn't installed: ${await back.text()}`);
}

type To = { readonly port: number };

/** Where an app takes requests, or under which token it has its connections. */
export type Receiver = To | { readonly appToken: string };

type Acked = {
  readonly to: Receiver;
  readonly times: number;
  readonly concurrency: number;
  /** The app posts an answer to each, which has to be there before the next round begins. */
  readonly areAnswered: boolean;
};

type Commands = {
  readonly text: string;
  readonly times: number;
  readonly concurrency: number;
  /** Each of those who say it at a time is somebody else, after `connects`. */
  readonly areMany?: boolean;
};

const LONGEST_REFRESH_MS = 30_000;
/** What comes after the last connection was replaced. */
const AFTER_REFRESH_MS = 500;

/** Commands, and how many of them had no connection, or one that ended before their ack. */
async function typeUntil(appToken: string, signal: AbortSignal): Promise<{ sent: number; lost: number }> {
  const acks: Promise<boolean>[] = [];
  for (; !signal.aborted; await sleep(10)) {
    acks.push(
      sayOver(appToken, "help").acked.then(
        () => true,
        () => false,
      ),
    );
  }
  const areAcked = await Promise.all(acks);
  return { sent: areAcked.length, lost: areAcked.filter((isAcked) => !isAcked).length };
}

const calls = {
  ports: () => ({ apiPort, slackPort }),
  /** Without a number of services as few as at first. */
  holds: (size: Partial<Size> | undefined) => hold({ ...FEW, ...size }),
  apiCalls: () => counted.calls,
  /** A channel watches everything, from its message on. */
  async watches({ port }: To) {
    const told = hears(/watches all workloads/u);
    await deliver(port, { kind: "command", text: "watch all --after 0" }).acked;
    await told;
  },
  /** All services begin or cease to crash; until a watch has told it: how long that took, and from the list that shows it. */
  async storms(on: boolean) {
    const told = hears(on ? /^🔴/u : /recovered/u);
    const startedAt = machineMs();
    setFailing(on);
    await told;
    const toldAt = machineMs();
    return { toldMs: toldAt - startedAt, afterListMs: toldAt - counted.listedAtMs };
  },
  /** Commands, until their messages are there, in milliseconds. */
  async says({ port, text, times, concurrency, areMany = false }: To & Commands) {
    const messageMs: number[] = [];
    const wholeMs = await atOnce(concurrency, times, async (at) => {
      const { acked, answered } = say(port, text, areMany ? worker(at) : undefined);
      messageMs.push(await answered);
      await acked;
    });
    return { messageMs, wholeMs };
  },
  /** `list`, each as soon as one before is acked: how long each ack took, in milliseconds. The first ones, which open connections, don't count. */
  async acks({ to, times, concurrency, areAnswered }: Acked) {
    const ms: number[] = [];
    const answers: Promise<number>[] = [];
    const opening = 2 * concurrency;
    await atOnce(concurrency, opening + times, async () => {
      const { acked, answered } = "port" in to ? say(to.port, "list") : sayOver(to.appToken, "list");
      answers.push(answered);
      ms.push(await acked);
    });
    if (areAnswered) await Promise.all(answers);
    return ms.slice(opening);
  },
  /** Slack announces and ends all connections of an app at once, while somebody types every 10 ms. */
  async refreshes({ appToken, warnMs }: { appToken: string; warnMs: number }) {
    const before = sockets.open(appToken);
    const typing = new AbortController();
    const typed = typeUntil(appToken, typing.signal);
    const since = machineMs();
    await sockets.refresh(appToken, warnMs);
    while (sockets.open(appToken) < before && machineMs() - since < LONGEST_REFRESH_MS) await sleep(1);
    await sleep(AFTER_REFRESH_MS);
    typing.abort();
    return await typed;
  },
  /** So many people link an account of their own: no read of one is shared with another. */
  async connects({ port, count }: To & { count: number }) {
    for (let at = 0; at < count; at += 1) {
      const { acked, answered } = deliver(port, { kind: "connect", text: `own-${at}`, person: worker(at) });
      await Promise.all([acked, answered]);
    }
  },
  /** So many workspaces install the app, and somebody in each links an account of their own. */
  async installs({ port, from, to }: To & { from: number; to: number }) {
    for (let at = from; at < to; at += 1) {
      const teamId = workspace(at);
      await install(port, teamId);
      const { acked, answered } = deliver(port, { kind: "connect", text: `own-${at}`, person: worker(at), teamId });
      await Promise.all([acked, answered]);
    }
  },
  /** Commands in so many workspaces in turn, 16 at a time, until their messages are there; how long all of them took. */
  saysIn({ port, text, times, workspaces }: To & { text: string; times: number; workspaces: number }) {
    let next = 0;
    return atOnce(SCALED, times, async () => {
      const at = (next += 1) % workspaces;
      const { acked, answered } = deliver(port, { kind: "command", text, person: worker(at), teamId: workspace(at) });
      await Promise.all([acked, answered]);
    });
  },
  /** Home, until it is published; somebody else's each time. */
  async opensHome({ port, times }: To & { times: number }) {
    const ms: number[] = [];
    for (let time = 0; time < times; time += 1) ms.push(await deliver(port, { kind: "home", text: "" }).answered);
    return ms;
  },
  /** Somebody types into a menu of workloads, until its options are there. */
  async picks({ port, text, times }: To & { text: string; times: number }) {
    const ms: number[] = [];
    for (let time = 0; time < times; time += 1) ms.push(await deliver(port, { kind: "pick", text }).acked);
    return ms;
  },
  /** Acks of others, in milliseconds, while somebody waits for an answer. */
  async acksBeside({ port, text }: To & { text: string }) {
    const ms: number[] = [];
    const { acked, answered } = say(port, text);
    const answer = { isThere: false };
    const ended = Promise.all([acked, answered]).then(() => (answer.isThere = true));
    while (!answer.isThere) {
      ms.push(await say(port, "help").acked);
      await sleep(10);
    }
    await ended;
    return ms;
  },
  /** A service for each of those who scale at a time; until the card says how it ended. */
  scales: ({ port, times, concurrency = SCALED }: To & { times: number; concurrency?: number }) =>
    atOnce(concurrency, times, (worker) => scale(port, worker)),
  /** Reads by somebody who has just scaled 16 services, in milliseconds until their messages. */
  async behind({ port, texts }: To & { texts: readonly string[] }) {
    const acks = Array.from({ length: SCALED }, (_, at) =>
      say(port, `scale svc-${at + 1} ${nextSize(`svc-${at + 1}`)}`),
    );
    await Promise.all(acks.map(({ acked }) => acked));
    const ms: number[] = [];
    for (const text of texts) ms.push(await say(port, text).answered);
    return ms;
  },
};

export type CrowdCalls = typeof calls;

answerCalls(calls);
