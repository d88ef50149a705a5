import type { Delivery } from "./deliver.ts";
import type { JsonObject } from "../json.ts";
import { type Problem, refusalOf, Refused } from "../rules/refusal.ts";
import type { World } from "../world.ts";

/** Notes what Slack would not even send to the bot, and why. */
export function notDelivered(
  world: World,
  kept: { readonly kind: string; readonly payload: JsonObject },
  why: { readonly error: string; readonly problem: Problem },
): Delivery {
  const { kind, payload } = kept;
  const refusal = refusalOf(new Refused(why.error, [why.problem]));
  const finish = world.transcript.begin({ direction: "to bot", kind, request: payload });
  finish({ answer: undefined, status: undefined, refusal });
  return { kind, acked: false, status: undefined, ms: 0, error: why.error, refusal };
}
