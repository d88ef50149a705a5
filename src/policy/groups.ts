import type { Policy } from "./policy.ts";
import { isGroupId } from "./rule-words.ts";

/** The user groups whose membership has to be known of whoever asks. Those who approve are checked at each vote. */
export function groupsOf({ rules }: Policy): string[] {
  return [...new Set(rules.flatMap(({ who }) => who.filter(isGroupId)))];
}
