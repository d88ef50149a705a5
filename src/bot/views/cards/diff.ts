import { bullets, preformatted, section, type Line, type Block } from "../kit/blocks.ts";
import { words, strong } from "../kit/inline.ts";
import { type Post, postOf } from "../kit/post.ts";
import { truncate, visible } from "../kit/text.ts";
import { shortDigests } from "../../../api/image.ts";
import type { StoredChange, Drift } from "../../changes/stored-change.ts";

const ITEMS = 12;
const ITEM = 200;
/** Characters of a list: a card has two of them and must fit into one message. */
const ALL = 1_000;

/** One bullet per change; of a long list only the first ones, and the number of the rest. */
export function diffList(diff: readonly string[]): Block[] {
  const shown = shownOf(diff);
  const lines = shown.map((text) => [words(text)]);
  return bullets(lines, diff.length - shown.length);
}

/** Whether `diffList` shows everything. */
export function isWholeDiff(diff: readonly string[]): boolean {
  return shownOf(diff).length === diff.length && diff.every((each) => visible(shortDigests(each)).length <= ITEM);
}

function shownOf(diff: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let room = ALL;
  for (const each of diff.slice(0, ITEMS)) {
    const text = truncate(visible(shortDigests(each.slice(0, 8 * ITEM))), ITEM);
    if (text.length > room) break;
    room -= text.length;
    shown.push(text);
  }
  return shown;
}

/** Characters per reply, well within the limit of a preformatted text. */
const PAGE = 3_500;

/** The complete diff for those who decide, when the card shows only its start. */
export function diffReplies({ diff }: Pick<StoredChange, "diff">): readonly Post[] {
  if (isWholeDiff(diff)) return [];
  const pages: string[] = [];
  for (const line of diff.flatMap((each) => pieces(visible(each)))) {
    const last = pages.at(-1);
    if (last === undefined || last.length + line.length + 1 > PAGE) pages.push(line);
    else pages.splice(-1, 1, `${last}\n${line}`);
  }
  return pages.map((page, at) =>
    postOf([section(`All changes${pages.length > 1 ? `, ${at + 1} of ${pages.length}` : ""}:`), preformatted(page)]),
  );
}

/** Splits a line into pieces that fit on a page, without cutting a surrogate pair. */
function pieces(line: string): string[] {
  if (line.length <= PAGE) return [line];
  const last = line.charCodeAt(PAGE - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? PAGE - 1 : PAGE;
  return [line.slice(0, end), ...pieces(line.slice(end))];
}

const LISTED = 5;
const VALUE = 100;

export function driftList(drift: readonly Drift[]): Block[] {
  return bullets(drift.slice(0, LISTED).map(row), drift.length - LISTED);
}

/** "instances: 2 when requested → 4 now; 3 was requested". */
function row({ field, then, now, asked }: Drift): Line {
  return [
    strong(field, 60),
    words(": "),
    words(then, VALUE),
    words(" when requested → "),
    strong(now, VALUE),
    words(" now"),
    ...(asked === undefined ? [] : [words("; the request was for "), words(asked, VALUE)]),
  ];
}
