import { type JsonObject, objectOf, textOf } from "../../src/playground/json.ts";
import type { Playground } from "../../src/playground/playground.ts";
import type { Exchange } from "../../src/playground/transcript.ts";
import { ACK_MS, type Deliveries, type Delivered, saidId } from "./load-balancer.ts";

const kinds: ReadonlySet<string> = new Set([
  "slash_command",
  "block_actions",
  "view_submission",
  "block_suggestion",
  "event_callback",
]);

/**
 * What people did, over Socket Mode: Slack itself chooses a connection for each delivery, and an app can't have one
 * repeated. Whoever isn't answered acts again.
 */
export function socketDeliveries({ transcript }: Pick<Playground, "transcript">): Deliveries {
  let from = 0;
  let late = 0;
  const known = new Map<number, Delivered>();
  const read = (): readonly Delivered[] => {
    const exchanges = transcript().filter(
      ({ id, kind, direction }) => id > from && direction === "to bot" && kinds.has(kind),
    );
    return exchanges.map((exchange) => {
      const delivered = known.get(exchange.id) ?? deliveredOf(exchange);
      known.set(exchange.id, delivered);
      // Slack's reason why there is no ack stands there as a refusal.
      delivered.isAcked = exchange.ms !== undefined && exchange.refusal === undefined;
      return delivered;
    });
  };
  return {
    delivered: read,
    forget() {
      const all = transcript();
      late += all.filter(({ id, ms = 0 }) => known.has(id) && ms > ACK_MS).length;
      from = all.at(-1)?.id ?? from;
      known.clear();
    },
    repeat: () => Promise.resolve(false),
    lateAcks: () => late,
    close: () => Promise.resolve(),
  };
}

function deliveredOf({ request }: Exchange): Delivered {
  const payload = objectOf(request);
  const event = objectOf(payload["event"]);
  const isEvent = payload["event"] !== undefined;
  const userId = isEvent
    ? textOf(event["user"])
    : textOf(objectOf(payload["user"])["id"]) || textOf(payload["user_id"]);
  return { id: isEvent ? eventId(payload, event) : textOf(payload["trigger_id"]), userId, isAcked: false };
}

function eventId(payload: JsonObject, event: JsonObject): string {
  return saidId({ team: textOf(payload["team_id"]), channel: textOf(event["channel"]), ts: textOf(event["ts"]) });
}
