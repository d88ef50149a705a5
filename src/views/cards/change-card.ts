import type { Health, StoredChange, ChangeState } from "../../changes/stored-change.ts";
import { context, section, actionButton, actions } from "../kit/blocks.ts";
import { changeFacts } from "./change-facts.ts";
import { changeHead, isFollowed, type ChangeHead } from "./change-head.ts";
import { namesIn, oneLine } from "./change-words.ts";
import { words } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";
import { inviteHint } from "../messages/sentences.ts";

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
  return postOf([...changeBlocks(card), ...changeButtons(card.change, card.canUndo)], namesIn(card.change, card.names));
}

/** A card without its buttons. */
export function changeBlocks(card: ChangeCard): Block[] {
  const { change, names = {} } = card;
  return [
    ...breakGlassLine(change),
    ...changeHead(card),
    ...rejection(change),
    ...returnedNotice(change),
    ...changeFacts(change, names),
    ...healthLine(card),
    context(footer(card)),
  ];
}

function breakGlassLine({ breakGlass, state }: StoredChange): Block[] {
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
function returnedNotice({ state, notice }: StoredChange): Block[] {
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
function footer({ change, command }: ChangeCard): string {
  const { id, rule, state } = change;
  const name = truncate(id, 40);
  const parts = [`Change ${name}`, ...(rule === "" ? [] : [`rule “${truncate(rule, 100)}”`])];
  return [...parts, ...(state === "pending" ? [`in words: ${command} approve ${name}`] : [])].join(" · ");
}

type ButtonSpec = { readonly label: string; readonly act: string; readonly style?: "primary" | "danger" };

const approve: ButtonSpec = { label: "Approve", act: "change:approve", style: "primary" };
const reject: ButtonSpec = { label: "Reject", act: "change:reject", style: "danger" };
const cancel: ButtonSpec = { label: "Cancel", act: "change:cancel" };
const undo: ButtonSpec = { label: "Undo", act: "change:undo" };
const again: ButtonSpec = { label: "Ask again", act: "change:again" };

const buttonsOf: Readonly<Record<ChangeState, readonly ButtonSpec[]>> = {
  pending: [approve, reject, cancel],
  approved: [cancel],
  claimed: [],
  done: [undo],
  failed: [],
  unknown: [again],
  rejected: [],
  cancelled: [],
  expired: [again],
  drifted: [again],
};

/** What can still be done with it here; each button carries the Change's id, and what it means is checked at the click. */
export function changeButtons(change: StoredChange, canUndo: boolean): Block[] {
  const { id, state, isUndone, settledAt } = change;
  // While it is being read back, nobody needs to ask again.
  const isOpenDoubt = state === "unknown" && settledAt === undefined;
  const shown = buttonsOf[state].filter((act) => (act === undo ? canUndo && !isUndone : !isOpenDoubt));
  return actions(...shown.map((act) => actionButton({ ...act, value: id })));
}

export type RunWithoutCard = Omit<ChangeCard, "canUndo" | "isOnce"> & {
  /** How the bot is invited to where it cannot post; without it, no hint is given. */
  readonly botName?: string;
};

/** How a Change went, for who asked alone, where no card can stand: without buttons, since nothing would draw them anew. */
export function runWithoutCard({ botName, ...card }: RunWithoutCard): Post {
  const { change, names } = card;
  const hint = botName === undefined ? [] : inviteHint(change.channelId, botName).blocks;
  return postOf([...changeBlocks({ ...card, canUndo: false, isOnce: true }), ...hint], namesIn(change, names));
}
