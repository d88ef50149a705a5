import type { StoredChange } from "../../changes/stored-change.ts";
import { preformatted, section } from "../kit/blocks.ts";
import { isWholeDiff } from "./diff-list.ts";
import type { Post } from "../kit/message.ts";
import { told } from "./spoken.ts";
import { visible } from "../kit/text.ts";

/** What one reply holds, well within the limit of one preformatted text. */
const PAGE = 3_500;

/** All that changes, for who decides: the card shows the first lines of very many. Nothing where the card shows all. */
export function diffReplies({ diff }: Pick<StoredChange, "diff">): readonly Post[] {
  if (isWholeDiff(diff)) return [];
  const pages: string[] = [];
  for (const line of diff.flatMap((each) => pieces(visible(each)))) {
    const last = pages.at(-1);
    if (last === undefined || last.length + line.length + 1 > PAGE) pages.push(line);
    else pages.splice(-1, 1, `${last}\n${line}`);
  }
  return pages.map((page, at) =>
    told([section(`All that changes${pages.length > 1 ? `, ${at + 1} of ${pages.length}` : ""}:`), preformatted(page)]),
  );
}

/** Splits a line into pieces that fit on a page, without cutting a surrogate pair. */
function pieces(line: string): string[] {
  if (line.length <= PAGE) return [line];
  const last = line.charCodeAt(PAGE - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? PAGE - 1 : PAGE;
  return [line.slice(0, end), ...pieces(line.slice(end))];
}
