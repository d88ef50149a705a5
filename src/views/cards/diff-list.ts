import { bullets } from "../kit/blocks.ts";
import { words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { truncate, visible } from "../kit/text.ts";

const ITEMS = 12;
const ITEM = 200;
/** Of all items: a card holds two such lists, and has to fit into one message. */
const ALL = 1_000;

/** What changes, a bullet each; of very many or very long ones the first, and how many more. */
export function diffList(diff: readonly string[]): Block[] {
  const shown = shownOf(diff);
  const [first, ...rest] = shown.map((text) => [words(text)]);
  if (first === undefined) return [];
  const more = diff.length > shown.length ? [[words(`and ${diff.length - shown.length} more`)]] : [];
  return [bullets([first, ...rest, ...more])];
}

/** Whether such a list leaves nothing out. */
export function isWholeDiff(diff: readonly string[]): boolean {
  return shownOf(diff).length === diff.length && diff.every((each) => visible(each).length <= ITEM);
}

function shownOf(diff: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let room = ALL;
  for (const each of diff.slice(0, ITEMS)) {
    const text = truncate(visible(each.slice(0, 2 * ITEM)), ITEM);
    if (text.length > room) break;
    room -= text.length;
    shown.push(text);
  }
  return shown;
}
