import type { StoredChange } from "../../changes/stored-change.ts";
import type { Button } from "@slack/types";
import { phraseText } from "../cards/phrases.ts";
import { termsWords, changeSummary, namesIn } from "../cards/change-words.ts";
import { actionButton, actions, context, linkButton, section, type Line } from "../kit/blocks.ts";
import { channel, strong, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";

export type DuplicateRequest = {
  /** The earlier Change. */
  readonly change: StoredChange;
  /** A pending request for the same thing, or an earlier Undo. */
  readonly kind: "waiting" | "undo";
  /** Who reads this. */
  readonly viewer: "requester" | "approver" | "other";
  /** Link to its card, if known. */
  readonly link: string | undefined;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

/** Answers a duplicate request with the earlier one. Nothing new is created. */
export function duplicateMessage(earlier: DuplicateRequest): Post {
  const { change, link, names } = earlier;
  return postOf(
    [
      section(headlineLine(earlier), askedBy(earlier), ...status(earlier)),
      ...actions(linkButton("Open card", link), ...buttonsFor(earlier)),
      context(truncate(change.id, 40)),
    ],
    namesIn(change, names),
  );
}

function headlineLine({ kind, change, defaultRegion }: DuplicateRequest): Line {
  const title = phraseText(change, "title", defaultRegion);
  const text = kind === "undo" ? `Undo already requested: ${title}` : `Already waiting: ${title}`;
  return [words(kind === "undo" ? "↩️ " : "⏳ "), strong(text, 400)];
}

function askedBy({ change, viewer }: DuplicateRequest): Inline[] {
  const { card, requester } = change;
  const where = card === undefined ? [] : [words(" in "), channel(card.channelId)];
  const who = viewer === "requester" ? words("You") : strong(requester.name, 80);
  return [who, words(" requested it"), ...where, words(". Nothing was requested again.")];
}

function status({ change, names }: DuplicateRequest): Line[] {
  const { state, terms, votes } = change;
  if (state !== "pending" || terms === undefined) return [[words(changeSummary(change), 600)]];
  // Only the requester sees this, so mentions notify nobody.
  const needs = termsWords({ ...terms, mention: "all" }, names);
  return [[words("Needs "), ...needs, words(` · ${votes.length} of ${terms.votes}`)]];
}

/** The requester may cancel, an approver may approve; others read the card. */
function buttonsFor({ change, viewer }: DuplicateRequest): (Button | undefined)[] {
  if (change.state !== "pending") return [];
  const { id: value } = change;
  if (viewer === "approver")
    return [
      actionButton({
        label: "Approve",
        action: { kind: "request", act: "approve", isBeside: true },
        value,
        style: "primary",
      }),
    ];
  return viewer === "requester"
    ? [actionButton({ label: "Cancel", action: { kind: "request", act: "cancel", isBeside: true }, value })]
    : [];
}
