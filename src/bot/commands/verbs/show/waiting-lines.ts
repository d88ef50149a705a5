import type { StoredChange } from "../../../changes/stored-change.ts";
import { actions, askButton, section, type Line } from "../../../views/kit/blocks.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";
import { counted } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";

/** For other verbs the diff says no more than the verb. */
const measured: ReadonlySet<string> = new Set(["scale", "memory", "domains"]);
const LISTED = 3;
const DIFF = 2;

export type Waiting = {
  /** Oldest first; undefined when they couldn't be read. */
  readonly changes: readonly StoredChange[] | undefined;
};

/** The requests for one workload that wait for approval, for its card. */
export function waitingLines(waiting: Waiting | undefined, now: Date): Block[] {
  if (waiting === undefined) return [];
  const { changes } = waiting;
  if (changes === undefined) return [section("⚠️ Couldn't check for waiting requests. Try again in a minute.")];
  const [first, ...rest] = changes.slice(0, LISTED).map((change) => line(change, now));
  if (first === undefined) return [];
  const more = changes.length - LISTED;
  const review = askButton("Review", { verb: "pending", share: false, args: {} });
  return [section(first, ...rest, ...(more > 0 ? [`${more} more waiting`] : [])), ...actions(review)];
}

/**
 * "⏳ Waiting: scale, instances 2 → 4 · requested by Dana Reyes 5 min ago · 0 of 1 approvals". What is measured may already
 * name the verb: "memory 256 → 512 MiB".
 */
function line({ verb, requester, createdAt, terms, votes, diff }: StoredChange, now: Date): Line {
  const what = measured.has(verb) ? diff.slice(0, DIFF).join(", ") : "";
  const named = what.startsWith(`${verb} `) ? [] : [strong(verb, 40), words(what === "" ? "" : ", ")];
  const ago = age(createdAt.toISOString(), now) ?? "0 s";
  return [
    words("⏳ Waiting: "),
    ...named,
    words(what, 160),
    words(" · requested by "),
    words(requester.name, 80),
    words(` ${ago} ago · ${votes.length} of ${counted(terms?.votes ?? 1, "approval")}`),
  ];
}
