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
  /** Whether a finished Change gets an Undo button. */
  readonly canUndo: boolean;
  /** Group handles and approvers' names by id, where nobody is mentioned and for screen readers. */
  readonly names?: Names;
};

/**
 * The card of a Change in any state. Posting it notifies the approvers that its terms mention; updating the message
 * notifies nobody.
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

/** It was approved, but the policy now requires more. */
function returnedNotice({ state, notice }: StoredChange): Block[] {
  return state === "pending" && notice !== undefined ? [section([words(`⚠️ ${oneLine(notice)}`, 500)])] : [];
}

const healthMarks: Readonly<Record<Health["kind"], string>> = {
  reached: "🟢",
  trouble: "🔴",
  "not-yet": "🟡",
  unwatched: "⚪",
};

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

/** The Change's id and the rule that allowed it. */
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

/** The buttons of the current state. Each carries only the Change's id: a click is checked against the state by then. */
export function changeButtons(change: StoredChange, canUndo: boolean): Block[] {
  const { id, state, isUndone, settledAt } = change;
  // The workload is still being read back.
  const isReadingBack = state === "unknown" && settledAt === undefined;
  const shown = buttonsOf[state].filter((act) => (act === undo ? canUndo && !isUndone : !isReadingBack));
  return actions(...shown.map((act) => actionButton({ ...act, value: id })));
}

export type RunWithoutCard = Omit<ChangeCard, "canUndo" | "isOnce"> & {
  /** Adds a hint how to invite the bot; undefined for none. */
  readonly botName?: string;
  /** Why there is no card, as a sentence. */
  readonly reason?: string;
};

/** The result of a Change for its requester, where no card can be posted. No buttons: nothing would update them. */
export function runWithoutCard({ botName, reason, ...card }: RunWithoutCard): Post {
  const { change, names } = card;
  const why = reason === undefined ? [] : [section([words(reason)])];
  const hint = botName === undefined ? why : inviteHint(change.channelId, botName).blocks;
  return postOf([...changeBlocks({ ...card, canUndo: false, isOnce: true }), ...hint], namesIn(change, names));
}
