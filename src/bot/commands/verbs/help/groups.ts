import type { Command } from "../../command.ts";

type Group = "Look" | "Change" | "Approve" | "Set up";

export const groups: readonly Group[] = ["Look", "Change", "Approve", "Set up"];

const aboutPeople: ReadonlySet<string> = new Set(["can-i", "whoami", "status", "help", "version"]);

/** Where help shows a verb. */
export function groupOf({ name, effect }: Pick<Command, "name" | "effect">): Group {
  if (effect === "write" || name === "undo") return "Change";
  if (effect === "decide" || name === "pending") return "Approve";
  return effect === "read" && !aboutPeople.has(name) ? "Look" : "Set up";
}

/** The verbs that help shows first. */
export const mostUsed: readonly string[] = ["list", "show", "logs", "create", "scale", "restart"];
