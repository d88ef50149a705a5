import { statfs } from "node:fs/promises";
import type { Away } from "../../health/facts.ts";
import { isGroupId } from "../../policy/policy-words.ts";
import type { Rule } from "../../policy/policy.ts";

/** Why the database can't be used: the part of the sentence that says it. */
export function databaseAway({ message }: Error): Away {
  const [, why = message] = /can't be used: (.*?)\. Try again/u.exec(message) ?? [];
  return { kind: "away", why };
}

/** Ids of the user groups that rules name. */
export function groupsIn(rules: readonly Rule[]): readonly string[] {
  const named = rules.flatMap(({ who, end }) => [
    ...who.filter(isGroupId),
    ...(end.kind === "approve" ? end.terms.from.groups : []),
  ]);
  return [...new Set(named)];
}

/** Free bytes on the disk of a folder; undefined when the system doesn't say. */
export async function freeBytesOf(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
