import type { StoredChange } from "../../changes/stored-change.ts";
import { termsWords, changeSummary, actionWords, namesIn } from "../cards/change-words.ts";
import { actions, linkButton, section, type Line } from "../kit/blocks.ts";
import { channel, code, strong, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";

export type DuplicateRequest = {
  /** The earlier Change. */
  readonly change: StoredChange;
  /** A pending request for the same thing, or an earlier Undo. */
  readonly kind: "waiting" | "undo";
  /** Who reads this. */
  readonly viewer: "requester" | "approver" | "other";
  /** Link to its card, if known. */
  readonly link: string | undefined;
  readonly command: string;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

/** Answers a duplicate request with the earlier one. Nothing new is created. */
export function duplicateMessage(earlier: DuplicateRequest): Post {
  const { change, link, names } = earlier;
  return postOf(
    [
      section(headline(earlier), askedBy(earlier), ...status(earlier), ...next(earlier)),
      ...actions(linkButton("Open card", link)),
    ],
    namesIn(change, names),
  );
}

function headline({ kind, change }: DuplicateRequest): Line {
  if (kind === "undo") return [words("↩️ Undo already requested: "), code(change.id, 40)];
  return [words("⏳ Already waiting: "), code(change.id, 40)];
}

function askedBy({ change, viewer, defaultRegion }: DuplicateRequest): Inline[] {
  const { card, requester } = change;
  const where = card === undefined ? [] : [words(" in "), channel(card.channelId)];
  const who = viewer === "requester" ? words("You") : strong(requester.name, 80);
  return [who, words(" asked to "), ...actionWords(change, defaultRegion), ...where, words(".")];
}

function status({ change, names }: DuplicateRequest): Line[] {
  const { state, terms, votes } = change;
  if (state !== "pending" || terms === undefined) return [[words(changeSummary(change), 600)]];
  // Only the requester sees this, so mentions notify nobody.
  const needs = termsWords({ ...terms, mention: "all" }, names);
  return [[words("Needs "), ...needs, words(` · ${votes.length} of ${terms.votes} so far`)]];
}

function next({ change, viewer, command }: DuplicateRequest): Line[] {
  if (change.state !== "pending") return [];
  const id = change.id.replaceAll("`", "");
  if (viewer === "approver") return [`You can approve it on its card or with \`${command} approve ${id}\``];
  return viewer === "requester" ? [`To cancel it: \`${command} cancel ${id}\``] : [];
}
