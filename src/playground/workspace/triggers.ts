import { randomBytes } from "node:crypto";
import { times } from "../rules/limits.ts";
import { refuse } from "../rules/refusal.ts";
import type { World } from "../world.ts";

/** A trigger_id for an interaction: https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses */
export function newTrigger(world: World, user: string): string {
  const id = `${world.clock.now()}.${world.state.triggers.size + 1}.${randomBytes(16).toString("hex")}`;
  world.state.triggers.set(id, { user, madeMs: world.clock.now(), isUsed: false });
  return id;
}

/** Uses up a trigger_id and returns its user. */
export function useTrigger(world: World, id: string): string {
  const trigger = world.state.triggers.get(id);
  if (trigger === undefined) refuse("invalid_trigger_id", "trigger.known", "no such trigger_id");
  if (trigger.isUsed) refuse("exchanged_trigger_id", "trigger.once", "the trigger_id was used before");
  const age = world.clock.now() - trigger.madeMs;
  if (age > times.trigger.ms) refuse("expired_trigger_id", "trigger.fresh", `the trigger_id is ${age} ms old`);
  trigger.isUsed = true;
  return trigger.user;
}
