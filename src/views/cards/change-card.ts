import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { context, section } from "../kit/blocks.ts";
import { changeButtons } from "./change-buttons.ts";
import { changeFacts } from "./change-facts.ts";
import { changeHead, isFollowed, type ChangeHead } from "./change-head.ts";
import { namesIn, oneLine } from "./change-words.ts";
import { words } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { told, type Names } from "./spoken.ts";
import { truncate } from "../kit/text.ts";

export type ChangeCard = ChangeHead & {
  /** Whether there is an inverse: the button of a finished Change. */
  readonly canUndo: boolean;
  /** Handles of user groups and names of approvers by id, for those who are not mentioned and for screen readers. */
  readonly names?: Names;
};

/**
 * The card of a Change, in any state. The first message that holds it notifies the approvers whom its terms mention;
 * drawing it anew over the same message notifies nobody.
 */
export function changeCard(card: ChangeCard): Post {
  return told([...changeBlocks(card), ...changeButtons(card.change, card.canUndo)], namesIn(card.change, card.names));
}

/** A card without its buttons. */
export function changeBlocks(card: ChangeCard): Block[] {
  const { change, names = {} } = card;
  return [
    ...brokenGlass(change),
    ...changeHead(card),
    ...rejection(change),
    ...returned(change),
    ...changeFacts(change, names),
    ...healthLine(card),
    context(small(card)),
  ];
}

function brokenGlass({ breakGlass, state }: StoredChange): Block[] {
  if (!breakGlass) return [];
  const runs = state === "approved" || state === "claimed" ? "runs" : "went";
  return [section(`🚨 Break-glass: it ${runs} without anybody's approval.`)];
}

function rejection({ ending }: StoredChange): Block[] {
  if (ending?.kind !== "rejected") return [];
  const { reason } = ending;
  return [section(reason === undefined ? "No reason was given." : [words(`Why not: ${oneLine(reason)}`, 500)])];
}

/** It was approved, but policy now requires more. */
function returned({ state, notice }: StoredChange): Block[] {
  return state === "pending" && notice !== undefined ? [section([words(`⚠️ ${oneLine(notice)}`, 500)])] : [];
}

const healthMarks: Readonly<Record<Health["kind"], string>> = {
  reached: "🟢",
  trouble: "🔴",
  "not-yet": "🟡",
  unwatched: "⚪",
};

/** How the workload is doing since. */
function healthLine({ change, isOnce = false }: ChangeCard): Block[] {
  const { state, health } = change;
  if (state !== "done") return [];
  if (health !== undefined) {
    return health.line === "" ? [] : [section([words(`${healthMarks[health.kind]} ${health.line}`, 400)])];
  }
  if (!isFollowed(change)) return [];
  return [
    section(
      isOnce ? "🟡 Gantry looks whether it goes well, and tells you if not." : "🟡 Looking whether it goes well…",
    ),
  ];
}

/** How it is named in words, and by which rule it came this far. */
function small({ change, command }: ChangeCard): string {
  const { id, rule, state } = change;
  const name = truncate(id, 40);
  const parts = [`Change ${name}`, ...(rule === "" ? [] : [`rule “${truncate(rule, 100)}”`])];
  return [...parts, ...(state === "pending" ? [`in words: ${command} approve ${name}`] : [])].join(" · ");
}
