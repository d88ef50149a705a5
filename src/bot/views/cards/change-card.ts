import type { AccountRef } from "../../accounts/resolve.ts";
import type { StoredChange, ChangeState } from "../../changes/stored-change.ts";
import { context, section, type Block, limits, suggesting } from "../kit/blocks.ts";
import { strong, words, channel } from "../kit/inline.ts";
import { type Post, plainTextOf, post, type Names, postOf } from "../kit/post.ts";
import { doneState, isDeletedSince, isLateHealth, isOfDeleted } from "../kit/health.ts";
import { truncate, visible } from "../kit/text.ts";
import { type CanApprove, changeFacts } from "./change-facts.ts";
import { isDeletion, namesIn, oneLine, headline, waitWords } from "./change-words.ts";
import { phraseText } from "./phrases.ts";
import { type RequestAct, requestButton, requestButtons, runButton } from "../kit/ask-buttons.ts";
import { restLabel, undoLabel } from "./several-card.ts";

export type ChangeCard = {
  readonly change: StoredChange;
  /** This region isn't mentioned; without it, none is. */
  readonly defaultRegion?: string | undefined;
  /** Whether a finished request gets an Undo button. */
  readonly canUndo: boolean;
  /** Group handles and approvers' names by id, where nobody is mentioned and for screen readers. */
  readonly names?: Names;
  /** Who can approve it while it waits; undefined where that isn't told. */
  readonly approvers?: CanApprove | undefined;
  /** The id of the request that runs on the workload now, which this one waits for. */
  readonly waitsFor?: string | undefined;
  /** The slash command, for where Slack shows only the text and no buttons. */
  readonly command?: string;
};

/**
 * The card of a request in any state. Posting it notifies the approvers that its terms mention; updating the message
 * notifies nobody.
 */
export function changeCard(card: ChangeCard): Post {
  const { change, command } = card;
  const blocks = [...changeBlocks(card), ...changeButtons(change, card.canUndo)];
  const text = plainTextOf(blocks, namesIn(change, card.names));
  const typed =
    change.state === "pending" && command !== undefined ? `\n${command} approve ${truncate(change.id, 40)}` : "";
  return post(`${text}${typed}`, blocks);
}

/** A card without its buttons: headline, facts, and a line of small print. */
export function changeBlocks(card: Omit<ChangeCard, "canUndo">): Block[] {
  const { change, defaultRegion, names = {}, approvers, waitsFor } = card;
  const { breakGlass, state, notice } = change;
  const runs = state === "approved" || state === "claimed" ? "runs" : "ran";
  return [
    headlineBlock(change, defaultRegion, waitsFor),
    // For several workloads, the headline has no room for it.
    ...(waitsFor !== undefined && change.parts !== undefined
      ? [section(`⏳ The next one ${waitWords(waitsFor)}`)]
      : []),
    ...(breakGlass ? [section(`🚨 Break-glass: ${runs} without approval`)] : []),
    // It was approved, but the policy now requires more.
    ...(state === "pending" && notice !== undefined ? [section([words(`⚠️ ${oneLine(notice)}`, 500)])] : []),
    ...changeFacts(change, names, approvers),
    context(contextLine(change)),
  ];
}

/** The bold first line, which a notification begins with. */
export function headlineBlock(change: StoredChange, defaultRegion: string | undefined, waitsFor?: string): Block {
  const { mark, text } = headline(change, defaultRegion, waitsFor);
  return section([words(`${mark} `), strong(text, 400)]);
}

/** "VY8WDV · policy: routine changes". */
function contextLine(change: StoredChange): string {
  const { id, rule, account, undoOf } = change;
  return [
    truncate(id, 40),
    ...(rule === "" ? [] : [`policy: ${truncate(rule, 100)}`]),
    ...accountWords(account),
    ...(undoOf === undefined ? [] : [`undoes ${truncate(undoOf.split("/", 1)[0] ?? undoOf, 40)}`]),
    ...(isDeletedSince(change) ? ["deleted since"] : []),
  ].join(" · ");
}

/** The workspace's account is the default and isn't mentioned. */
function accountWords({ owner, username }: AccountRef): string[] {
  if (owner.kind === "workspace") return [];
  const whose = owner.kind === "channel" ? "the channel's" : "their own";
  return [`account: ${truncate(username, 100)} (${whose})`];
}

/**
 * A card as first posted; an update adds its buttons. If Slack's answer is lost, this message can never be updated, so
 * it has no buttons and stays true after a decision: it shows no count and no end. It mentions the approvers, because
 * only a new message notifies them.
 */
export function openingCard({
  change,
  defaultRegion,
  names = {},
}: Pick<ChangeCard, "change" | "defaultRegion" | "names">): Post {
  const asked: StoredChange = { ...change, votes: [], expiresAt: undefined, notice: undefined };
  return postOf(
    [
      headlineBlock(asked, defaultRegion),
      ...changeFacts(asked, names),
      context(`${truncate(change.id, 40)} · No buttons? A newer message has them.`),
    ],
    namesIn(change, names),
  );
}

/** Replaces a card that was posted again elsewhere: nothing can be decided on it. */
export function retiredCard({ change, defaultRegion }: Pick<ChangeCard, "change" | "defaultRegion">): Post {
  const { card, id } = change;
  const where = card === undefined ? [] : [words(" in "), channel(card.channelId)];
  return postOf([
    section(
      [words("↪️ "), strong(`Moved: ${phraseText(change, "title", defaultRegion)}`, 400)],
      [words("This request has a newer card"), ...where, words(". Use that one.")],
    ),
    context(truncate(id, 40)),
  ]);
}

const rows: Readonly<Record<ChangeState, readonly RequestAct[]>> = {
  pending: ["approve", "reject", "cancel", "logs", "show"],
  approved: ["cancel"],
  claimed: [],
  done: ["undo", "again", "logs", "show"],
  failed: ["undo", "again", "logs", "show"],
  unknown: ["again", "show", "logs"],
  rejected: [],
  cancelled: [],
  expired: ["again"],
  drifted: ["again", "show"],
};

/** The buttons of the current state. Each carries only the request's id: a click is checked against the state by then. */
export function changeButtons(change: StoredChange, canUndo: boolean): Block[] {
  const { id, state } = change;
  const suggested = suggestedAct(change);
  const button = (act: RequestAct | undefined) => {
    const label = act === undefined ? undefined : labelFor(act, change, canUndo);
    if (act === undefined || label === undefined) return undefined;
    const style = act === "approve" && isDeletion(change) ? "danger" : undefined;
    return requestButton(act, id, { label, style });
  };
  const others = rows[state].filter((act) => act !== suggested);
  return suggesting(button(suggested), ...others.map(button), tellButton(change));
}

/** A version that doesn't get ready is taken back. */
function suggestedAct(change: StoredChange): RequestAct | undefined {
  if (change.state === "pending") return "approve";
  const isStuck = change.state === "done" && change.parts === undefined && doneState(change).kind === "stuck";
  return isStuck ? "undo" : undefined;
}

/** Undefined for a button that makes no sense now. */
function labelFor(act: RequestAct, change: StoredChange, canUndo: boolean): string | undefined {
  if (act === "again") return againLabel(change);
  if (act === "undo") return canUndo && !change.isUndone ? undoLabel(change) : undefined;
  const isRead = act === "show" || act === "logs";
  if (isRead && !hasWorkload(change)) return undefined;
  return requestButtons[act].label;
}

/** A changed workload is one that people want to hear of. */
function tellButton(change: StoredChange) {
  const { state, workload } = change;
  if (state !== "done" || !hasWorkload(change)) return undefined;
  const { kind, name, region } = workload;
  const where = kind === "service" ? { region } : {};
  return runButton(
    "Tell me here",
    { verb: "watch", ...where, share: false, args: { name: `${kind}/${name}` } },
    { at: 0 },
  );
}

/** False before a creation and after a deletion. */
function hasWorkload(change: StoredChange): boolean {
  const { op, state, parts } = change;
  // `show` and `logs` are about one workload.
  if (parts !== undefined || isOfDeleted(change)) return false;
  if (op === "createService" || op === "createJob") return state === "done" || state === "unknown";
  return state !== "done" || (op !== "deleteService" && op !== "deleteJob");
}

/** After drift, the button names what it requests: "Request 4 → 3". */
function againLabel(change: StoredChange): string | undefined {
  const { state, ending, parts } = change;
  if (parts !== undefined || state === "done") return restLabel(change);
  const isReadBack = state === "unknown" && change.settledAt === undefined;
  if (isReadBack || isOfDeleted(change) || isLateHealth(change)) return undefined;
  if (state !== "drifted") return state === "expired" ? "Request again" : "Try again";
  const [only, ...rest] = ending?.kind === "drifted" ? ending.drift : [];
  if (only?.asked === undefined || rest.length > 0) return "Request again";
  const label = `Request ${visible(only.now)} → ${visible(only.asked)}`;
  return label.length > limits.buttonText ? "Request again" : label;
}
