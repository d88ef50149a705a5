import { machineClock } from "../../platform/clock.ts";
import { createHmac } from "node:crypto";
import { type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import { type World, installOf } from "../world.ts";
import { type Ack, type BotRequest, type Way, eventRequest, type RetryReason, noAck } from "./bot-request.ts";
import { refuse, type RuleId, type Refusal, refusalOf, Refused, rules } from "../rules/rules.ts";
import { envelopeOf, takesPayload } from "../sockets/link.ts";
import { delivery } from "../rules/limits.ts";
import { eventPayload, rateLimitedPayload } from "./payloads.ts";
import { unawaited } from "../../platform/waiting.ts";

/** Signs the request and posts it to the bot's request URL. */
export function overHttp(world: World, request: BotRequest): Way {
  return { send: () => post(world, request) };
}

async function post(world: World, request: BotRequest): Promise<Ack> {
  const { faults, signingSecret } = world;
  const { body, contentType } = encoded(request);
  const signal = world.clock.limit(world.ackMs);
  const secret = faults.signsWrongly ? `not ${signingSecret}` : signingSecret;
  try {
    await faults.network.passes(signal);
    const signed = signedHeaders(secret, body, faults.signatureAgeSeconds);
    const { retry } = request;
    const headers = {
      "content-type": contentType,
      ...signed,
      ...(retry && { "x-slack-retry-num": String(retry.attempt), "x-slack-retry-reason": retry.reason }),
    };
    return await ackOf(await fetch(world.requestUrl(), { method: "POST", headers, body, signal, redirect: "manual" }));
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return isLate ? noAck("operation_timeout", "http_timeout") : noAck("dispatch_failed", "connection_failed");
  }
}

function encoded({ type, payload }: BotRequest): { readonly body: string; readonly contentType: string } {
  switch (type) {
    case "slash_commands":
      return { body: flatForm(payload), contentType: form };
    case "interactive":
      return { body: flatForm({ payload: JSON.stringify(payload) }), contentType: form };
    case "events_api":
      return { body: JSON.stringify(payload), contentType: "application/json" };
  }
}

// Bolt accepts exactly this content type, without a charset.
const form = "application/x-www-form-urlencoded";

function flatForm(payload: JsonObject): string {
  return new URLSearchParams(Object.entries(payload).map(([name, value]) => [name, textOf(value)])).toString();
}

/**
 * Slack's signature headers, dated `ageSeconds` ago.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
function signedHeaders(signingSecret: string, body: string, ageSeconds: number): Record<string, string> {
  // Bolt, which checks it, always compares it with this machine's time.
  const timestamp = String(Math.floor(machineClock.now().getTime() / 1000) - ageSeconds);
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

async function ackOf(response: Response): Promise<Ack> {
  const text = await response.text();
  const answer = text === "" ? undefined : (parseJson(text) ?? text);
  const wantsNoRetry = response.headers.get("x-slack-no-retry") === "1";
  if (response.ok) return { status: response.status, answer, wantsNoRetry };
  const isRedirect = response.status >= 300 && response.status < 400;
  const reason = isRedirect ? "too_many_redirects" : "http_error";
  return { status: response.status, answer, error: "dispatch_failed", reason, wantsNoRetry };
}

/** Puts the request into an envelope and sends it on one of the app's connections. */
export function overSocket(world: World, request: BotRequest): Way {
  const link = world.links.pick();
  if (link === undefined) return { send: () => Promise.resolve(noAck("dispatch_failed", "not_connected")) };
  const envelope = envelopeOf(request);
  const { payload: _payload, ...head } = envelope;
  return {
    envelope: { ...head, connection: link.name },
    send: () => link.deliver(envelope, world.ackMs),
    checkAnswer(answer: Json | undefined) {
      if (answer === undefined || takesPayload(request)) return;
      refuse("unexpected_payload", "socket.ack-payload", `the ack of a ${request.kind} has a payload`);
    },
  };
}

/** Records a request that Slack would not send to the bot, with the reason. */
export function notDelivered(
  world: World,
  { kind, payload }: Pick<BotRequest, "kind" | "payload">,
  { error, rule, message }: { readonly error: string; readonly rule: RuleId; readonly message: string },
): Delivery {
  const refusal = refusalOf(new Refused(error, [{ rule, at: "", message }]));
  const finish = world.transcript.begin({ direction: "to bot", kind, request: payload });
  finish({ answer: undefined, status: undefined, refusal });
  return { kind, acked: false, status: undefined, ms: 0, error, refusal };
}

/** Slack tells an app nothing of a workspace that it isn't installed in. */
function notInstalled(world: World, kept: BotRequest): Delivery {
  const message = "the app isn't installed in this workspace";
  return notDelivered(world, kept, { error: "app_not_installed", rule: "install.here", message });
}

/** The outcome of a person's action. */
export type Delivery = {
  /** "slash_command", "block_actions" …, or "message" if it was only posted. */
  readonly kind: string;
  readonly acked: boolean;
  /** Of HTTP; undefined over Socket Mode. */
  readonly status: number | undefined;
  /** Ack latency. */
  readonly ms: number;
  /** Slack's error code: operation_timeout, dispatch_failed. */
  readonly error?: string;
  readonly refusal?: Refusal;
  /** The body of the ack. */
  readonly answer?: Json | undefined;
  /** The ts of the posted message. */
  readonly ts?: string;
};

function refusalOfLateAck(ack: Ack): Refusal {
  const id = ack.reason === "not_connected" ? "socket.connected" : "ack.in-time";
  const what = ack.status === undefined ? "no answer" : `status ${ack.status}`;
  return { rule: id, link: rules[id].link, sentence: `${ack.error ?? ""}: ${what}. Rule: ${rules[id].says}.` };
}

function refusalOfAnswer(request: BotRequest, way: Way, answer: Json | undefined): Refusal | undefined {
  try {
    way.checkAnswer?.(answer);
    request.onAck?.(answer);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return refusalOf(error);
    throw error;
  }
}

/** A delivery, and the facts that decide about a retry. */
type Attempt = {
  readonly delivery: Delivery;
  readonly reason: RetryReason | undefined;
  readonly wantsNoRetry: boolean;
};

/** Sends a request to the bot once, over the app's transport. */
async function deliverOnce(world: World, request: BotRequest): Promise<Attempt> {
  const { kind, payload } = request;
  const way = world.app.usesSocketMode === true ? overSocket(world, request) : overHttp(world, request);
  const finish = world.transcript.begin({
    direction: "to bot",
    kind,
    request: payload,
    ...(way.envelope !== undefined && { envelope: way.envelope }),
  });
  const ack = await way.send();
  const { answer, status, error } = ack;
  const refusal = error === undefined ? refusalOfAnswer(request, way, answer) : refusalOfLateAck(ack);
  const failed = { ...(error !== undefined && { error }), ...(refusal !== undefined && { refusal }) };
  const { ms = 0 } = finish({ answer, status, ...failed });
  const delivery: Delivery = { kind, acked: error === undefined, status, ms, answer, ...failed };
  return { delivery, reason: ack.reason, wantsNoRetry: ack.wantsNoRetry };
}

/**
 * Delivers a command or an interaction, twice if `faults.deliverTwice` is set. Resolves with the first ack and never
 * rejects because of the bot. Slack does not retry these.
 */
export async function deliver(world: World, request: BotRequest): Promise<Delivery> {
  if (installOf(world) === undefined) return notInstalled(world, request);
  const [first] = await Promise.all([
    deliverOnce(world, request),
    world.faults.deliverTwice ? deliverOnce(world, request) : undefined,
  ]);
  return first.delivery;
}

/**
 * Delivers an event with Slack's retries: at once, after a minute, after five, until the bot acks or sends
 * x-slack-no-retry.
 */
async function attempt(world: World, request: BotRequest, made: number): Promise<Delivery> {
  const { delivery: done, reason, wantsNoRetry } = await deliverOnce(world, request);
  world.events.note(world.clock.nowMs(), done.acked);
  const waitMs = delivery.retries.waitsMs[made];
  if (reason === undefined || wantsNoRetry || waitMs === undefined) return done;
  world.clock.after(waitMs, () => {
    if (world.events.verdict(world.clock.nowMs()) !== "deliver") return;
    unawaited(attempt(world, { ...request, retry: { attempt: made + 1, reason } }, made + 1));
  });
  return done;
}

async function sendRateLimitNotice(world: World): Promise<void> {
  const payload = rateLimitedPayload(world);
  const minute = Number(payload["minute_rate_limited"]);
  if (world.rateLimitNotices.has(minute)) return;
  world.rateLimitNotices.add(minute);
  await deliverOnce(world, { ...eventRequest(payload), kind: "app_rate_limited" });
}

/**
 * Delivers one event with its retries. Resolves with the first delivery and never rejects because of the bot. After
 * too many events in an hour, or too many failures, nothing is sent and the transcript says so. `heardBy` is the
 * installation that hears it: the end of one comes when it is no longer there.
 */
export async function deliverEvent(world: World, event: JsonObject, heardBy = installOf(world)): Promise<Delivery> {
  const request = eventRequest(eventPayload(world, event, heardBy));
  if (heardBy === undefined) return notInstalled(world, request);
  const verdict = world.events.verdict(world.clock.nowMs());
  if (verdict === "failing") {
    const message = "too many deliveries of the last hour failed, and the subscription was ended";
    return notDelivered(world, request, { error: "events_disabled", rule: "event.failures", message });
  }
  if (verdict === "too many") {
    await sendRateLimitNotice(world);
    const message = "the events of the last hour were too many";
    return notDelivered(world, request, { error: "app_rate_limited", rule: "event.rate", message });
  }
  const [first] = await Promise.all([
    attempt(world, request, 0),
    world.faults.deliverTwice ? attempt(world, request, 0) : undefined,
  ]);
  return first;
}
