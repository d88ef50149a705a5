import type { StoredChange } from "../../changes/stored-change.ts";
import { section } from "../kit/blocks.ts";
import { actionWords, personWords } from "./change-words.ts";
import { diffList, driftList } from "./diff.ts";
import { strong, words, type Inline } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { outcomeBlocks } from "./outcome.ts";

export type ChangeHead = {
  readonly change: StoredChange;
  readonly command: string;
  /** This region isn't mentioned; without it, none is. */
  readonly defaultRegion?: string | undefined;
  /** The message is never updated, so it doesn't promise later news. */
  readonly isOnce?: boolean;
};

/** Whether the workload's health is watched afterwards. */
export function isFollowed({ op }: StoredChange): boolean {
  return op !== "deleteService" && op !== "deleteJob";
}

/** The state of a Change in a sentence, with its diff. */
export function changeHead(head: ChangeHead): Block[] {
  const { change, command, defaultRegion } = head;
  const { ending, op, workload, diff } = change;
  if (change.state === "unknown" && change.settledAt === undefined) return readingBack(head);
  if (ending?.kind === "run") {
    const isShown = isFollowed(change) && head.isOnce !== true;
    return outcomeBlocks({ op, workload, diff, outcome: ending.outcome, command, defaultRegion, isFollowed: isShown });
  }
  const sentence = section(headline(change, actionWords(change, defaultRegion)));
  if (ending?.kind === "drifted") return [sentence, ...driftList(ending.drift), ...voidedVotes(change)];
  const why = ending === undefined || ending.kind === "rejected" ? [] : [section(notSent(change))];
  return [sentence, ...diffList(diff), ...why];
}

function headline(change: StoredChange, deed: readonly Inline[]): Inline[] {
  const { ending } = change;
  const asker = personWords(change.requester);
  const askedBy = [words(", asked by "), asker, words(".")];
  switch (change.state) {
    case "pending":
      return [words("⏳ "), asker, words(" asks to "), ...deed, words(".")];
    case "approved":
      return [words("▶️ About to "), ...deed, words(" for "), asker, words("…")];
    case "claimed":
      return [words("▶️ Running: "), ...deed, words(" for "), asker, words("…")];
    case "rejected":
      return [words("🚫 Rejected"), ...by(ending), words(": "), ...deed, ...askedBy];
    case "cancelled":
      return [words("🚫 Cancelled"), ...by(ending), words(": "), ...deed, ...askedBy];
    case "expired":
      return [words("⌛ Expired: "), ...deed, ...askedBy];
    case "drifted":
      return [words("🔀 Not run: "), ...deed, ...askedBy, words(" It has changed since then:")];
    // For rows without an outcome, which the store doesn't write.
    case "done":
      return [words("✅ Done: "), ...deed, ...askedBy];
    case "failed":
      return [words("❌ Failed: "), ...deed, ...askedBy];
    case "unknown":
      return [words("❓ Cannot tell: "), ...deed, ...askedBy];
  }
}

function by(ending: StoredChange["ending"]): Inline[] {
  if (ending?.kind !== "rejected" && ending?.kind !== "cancelled") return [];
  return [words(" by "), strong(ending.by.name, 80)];
}

function notSent({ ending, terms }: StoredChange): string {
  if (ending?.kind !== "expired") return "Nothing was sent.";
  if (ending.was === "pending") return "It did not get its votes in time; nothing was sent.";
  const had = terms === undefined ? "Nothing" : "It was approved, but nothing";
  return `${had} carried it out in time; nothing was sent.`;
}

/** The approvals it had are void, and its row no longer lists them. */
function voidedVotes({ terms }: StoredChange): Block[] {
  const votesVoid = terms === undefined ? "" : "The votes it had are void. ";
  return [section(`Nothing was sent. ${votesVoid}Asked again, it starts from what is there now.`)];
}

function readingBack({ change, defaultRegion }: ChangeHead): Block[] {
  const doubt = change.ending?.kind === "run" ? change.ending.outcome : undefined;
  return [
    section([words("❓ No answer came to: "), ...actionWords(change, defaultRegion), words(".")]),
    ...diffList(change.diff),
    ...(doubt?.kind === "unknown" ? [section(doubt.why)] : []),
    section("Gantry is reading it back to see whether it took effect. It is not sent again."),
  ];
}
