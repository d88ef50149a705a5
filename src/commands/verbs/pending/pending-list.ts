import type { Ask } from "../../ask.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";
import { actions, askButton, context, section, type Line } from "../../../views/kit/blocks.ts";
import { channel, code, moment, strong, words, type Inline } from "../../../views/kit/inline.ts";
import type { Block, Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, truncate, visible } from "../../../views/kit/text.ts";

export type PendingList = {
  /** Oldest first. */
  readonly changes: readonly StoredChange[];
  /** The buttons carry it with another `args.page`. */
  readonly ask: Ask;
  /** From 0; a page beyond the end is the last one. */
  readonly page: number;
  readonly command: string;
  readonly defaultRegion: string;
  readonly now: Date;
};

/** As many as fit into one message with the longest names and reasons. */
const PAGE = 6;
const DIFF = 2;

/** Waiting changes: requester, action, channel of the card, votes so far and expiry. */
export function pendingList(list: PendingList): Message {
  const { changes, command } = list;
  if (changes.length === 0) {
    const sentence = "Nothing waits for approval.";
    return post(sentence, [section(sentence), context(`What was decided lately stands in ${command} history`)]);
  }
  const last = Math.ceil(changes.length / PAGE) - 1;
  const page = Math.min(list.page, last);
  const shown = changes.slice(page * PAGE, (page + 1) * PAGE);
  const count = changes.length === 1 ? "1 change waits" : `${changes.length} changes wait`;
  const part = last === 0 ? "" : ` · ${page * PAGE + 1}–${page * PAGE + shown.length}, oldest first`;
  return post([`${count} for approval`, ...shown.map((change) => spoken(change, list))].join("\n"), [
    section([strong(`${count} for approval`), ...(part === "" ? [] : [words(part)])]),
    ...shown.map((change) => entry(change, list)),
    section(
      `Decide on the card, or with \`${command} approve ID\`, \`${command} reject ID\`; \`${command} cancel ID\` takes back your own.`,
    ),
    ...actions(
      page > 0 ? turn("Back", list, page - 1) : undefined,
      page < last ? turn("Next", list, page + 1) : undefined,
    ),
  ]);
}

function turn(label: string, { ask }: PendingList, page: number) {
  return askButton(label, { ...ask, args: { ...ask.args, page } });
}

/** "scale service web in us" */
function actionText({ verb, workload }: StoredChange, { defaultRegion }: PendingList): string {
  const where = workload.kind === "service" && workload.region !== defaultRegion ? ` in ${workload.region}` : "";
  return short(`${verb} ${workload.kind} ${workload.name}${where}`, 120);
}

function short(text: string, max: number): string {
  return truncate(visible(text), max);
}

function votes({ votes: all, terms }: StoredChange): string {
  const names = all.slice(0, 3).map(({ name }) => short(name, 40));
  const more = all.length > 3 ? [`${all.length - 3} more`] : [];
  const who = all.length === 0 ? "" : `: ${[...names, ...more].join(", ")}`;
  return `${all.length} of ${counted(terms?.votes ?? 1, "vote")}${who}`;
}

function spoken(change: StoredChange, list: PendingList): string {
  const { id, requester } = change;
  return `${id}: ${short(requester.name, 60)} asks to ${actionText(change, list)}, ${votes(change)}`;
}

/** Shows people by name: a mention would notify them each time somebody shares the list. */
function entry(change: StoredChange, list: PendingList): Block {
  const { id, requester, reason, diff, risk } = change;
  const more = diff.length > DIFF ? `, and ${diff.length - DIFF} more` : "";
  const what = diff
    .slice(0, DIFF)
    .map((line) => short(line, 80))
    .join(", ");
  const lines: Line[] = [
    [words(`${what}${more} · ${risk}`)],
    ...(reason === undefined ? [] : [[words(`Why: ${short(reason, 120)}`)]]),
    [words(`${votes(change)} · `), ...until(change), ...where(change)],
  ];
  return section(
    [code(id), words(`  ${short(requester.name, 60)} asks to `), strong(actionText(change, list))],
    ...lines,
  );
}

function until({ expiresAt }: StoredChange): Inline[] {
  return expiresAt === undefined ? [words("no end")] : [words("until "), moment(expiresAt.toISOString())];
}

function where({ card }: StoredChange): Inline[] {
  return card === undefined
    ? [words(" · its card is not posted yet")]
    : [words(" · card in "), channel(card.channelId)];
}
