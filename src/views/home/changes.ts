import type { StoredChange } from "../../changes/stored-change.ts";
import { actionButton, actions, section, type Line } from "../kit/blocks.ts";
import { actionWords, oneLine, personWords } from "../cards/change-words.ts";
import type { HomeState } from "./state.ts";
import { code, moment, strong, words, type Inline } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { counted, truncate, visible } from "../kit/text.ts";

const LISTED = 6;
const DIFF = 2;

type Parts = Pick<HomeState, "mine" | "waiting" | "command" | "defaultRegion">;

/** Changes that wait for the person's approval, and their own pending requests. */
export function homeChanges({ mine, waiting, command, defaultRegion }: Parts): Block[] {
  return [
    ...part("Waits for your vote", waiting, { command, draw: (change) => toVote(change, defaultRegion) }),
    ...part("You asked for", mine, { command, draw: (change) => asked(change, defaultRegion) }),
  ];
}

type Drawing = { readonly command: string; readonly draw: (change: StoredChange) => Block[] };

function part(title: string, changes: readonly StoredChange[], { command, draw }: Drawing): Block[] {
  if (changes.length === 0) return [];
  const more = changes.length - LISTED;
  return [
    section([strong(title)]),
    ...changes.slice(0, LISTED).flatMap(draw),
    ...(more > 0 ? [section(`${counted(more, "more waits", "more wait")}: \`${command} pending\``)] : []),
  ];
}

function toVote(change: StoredChange, defaultRegion: string): Block[] {
  const { id, reason } = change;
  const lines: Line[] = [
    ...diff(change),
    ...(reason === undefined ? [] : [[words(`Why: ${oneLine(reason)}`, 200)]]),
    progress(change),
  ];
  return [
    section([personWords(change.requester), words(" asks to "), ...actionWords(change, defaultRegion)], ...lines),
    ...actions(
      actionButton({ label: "Approve", act: "change:approve", value: id, style: "primary" }),
      actionButton({ label: "Reject", act: "change:reject", value: id, style: "danger" }),
    ),
  ];
}

function asked(change: StoredChange, defaultRegion: string): Block[] {
  return [
    section([words("To "), ...actionWords(change, defaultRegion)], ...diff(change), progress(change)),
    ...actions(actionButton({ label: "Cancel", act: "change:cancel", value: change.id })),
  ];
}

function diff({ diff: all, risk }: StoredChange): Line[] {
  const what = all.slice(0, DIFF).map((each) => truncate(visible(each), 100));
  const more = all.length > DIFF ? [`and ${all.length - DIFF} more`] : [];
  return [[words([...what, ...more, risk].join(" · "))]];
}

/** "7K3M9Q · 1 of 2 votes · until tomorrow". */
function progress({ id, votes, terms, expiresAt }: StoredChange): Inline[] {
  return [
    code(id, 40),
    words(` · ${votes.length} of ${counted(terms?.votes ?? 1, "vote")}`),
    ...(expiresAt === undefined ? [] : [words(" · until "), moment(expiresAt.toISOString())]),
  ];
}
