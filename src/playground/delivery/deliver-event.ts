import { type BotRequest, eventRequest } from "./bot-request.ts";
import { deliverOnce, type Delivery, notDelivered, notInstalled } from "./deliver.ts";
import type { JsonObject } from "../json.ts";
import { delivery } from "../rules/limits.ts";
import { eventPayload, rateLimitedPayload } from "./payloads.ts";
import { installOf, type World } from "../world.ts";
import { unawaited } from "../../platform/waiting.ts";

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
  const payload = eventPayload(world, event, heardBy);
  const kept = { kind: "event_callback", payload };
  if (heardBy === undefined) return notInstalled(world, kept);
  const verdict = world.events.verdict(world.clock.nowMs());
  if (verdict === "failing") {
    const message = "too many deliveries of the last hour failed, and the subscription was ended";
    return notDelivered(world, kept, {
      error: "events_disabled",
      problem: { rule: "event.failures", at: "", message },
    });
  }
  if (verdict === "too many") {
    await sendRateLimitNotice(world);
    const message = "the events of the last hour were too many";
    return notDelivered(world, kept, { error: "app_rate_limited", problem: { rule: "event.rate", at: "", message } });
  }
  const request = eventRequest(payload);
  const [first] = await Promise.all([
    attempt(world, request, 0),
    world.faults.deliverTwice ? attempt(world, request, 0) : undefined,
  ]);
  return first;
}
