import type { WireSnapshot } from "../../live/wire.ts";

/**
 * Commands from a usage hint such as "list · show NAME · help": complete ones, and the start of those that need a
 * name.
 */
export function examplesOf(snapshot: WireSnapshot): readonly string[] {
  const [main] = snapshot.app.commands;
  if (main === undefined) return [];
  const words = main.usageHint.split("·").map((part) => part.trim().replace(/\s*(?:[A-Z]{2,}|…|\[|<).*$/u, ""));
  const known = words.filter((word) => word !== "");
  return known.length === 0 ? [`${main.command} help`] : known.map((word) => `${main.command} ${word}`);
}
