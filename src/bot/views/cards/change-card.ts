import type { AccountRef } from "../../accounts/resolve.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { context, section } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { plainTextOf, post, type Names } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";
import { changeButtons } from "./card-buttons.ts";
import { type CanApprove, changeFacts } from "./change-facts.ts";
import { namesIn, oneLine } from "./change-words.ts";
import { headline } from "./headline.ts";

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
export function changeBlocks({ change, defaultRegion, names = {}, approvers }: Omit<ChangeCard, "canUndo">): Block[] {
  return [
    headlineBlock(change, defaultRegion),
    ...breakGlassLine(change),
    ...returnedNotice(change),
    ...changeFacts(change, names, approvers),
    context(contextLine(change)),
  ];
}

/** The bold first line, which a notification begins with. */
export function headlineBlock(change: StoredChange, defaultRegion: string | undefined): Block {
  const { mark, text } = headline(change, defaultRegion);
  return section([words(`${mark} `), strong(text, 400)]);
}

function breakGlassLine({ breakGlass, state }: StoredChange): Block[] {
  if (!breakGlass) return [];
  const runs = state === "approved" || state === "claimed" ? "runs" : "ran";
  return [section(`🚨 Break-glass: ${runs} without approval`)];
}

/** It was approved, but the policy now requires more. */
function returnedNotice({ state, notice }: StoredChange): Block[] {
  return state === "pending" && notice !== undefined ? [section([words(`⚠️ ${oneLine(notice)}`, 500)])] : [];
}

/** "VY8WDV · policy: routine changes". */
function contextLine({ id, rule, account, undoOf }: StoredChange): string {
  return [
    truncate(id, 40),
    ...(rule === "" ? [] : [`policy: ${truncate(rule, 100)}`]),
    ...accountWords(account),
    ...(undoOf === undefined ? [] : [`undoes ${truncate(undoOf, 40)}`]),
  ].join(" · ");
}

/** The workspace's account is the default and isn't mentioned. */
function accountWords({ owner, username }: AccountRef): string[] {
  if (owner.kind === "workspace") return [];
  const whose = owner.kind === "channel" ? "the channel's" : "their own";
  return [`account: ${truncate(username, 100)} (${whose})`];
}
