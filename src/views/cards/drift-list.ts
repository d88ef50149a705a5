import type { Drift } from "../../changes/stored-change.ts";
import { bullets, type Line } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";

const LISTED = 5;
const VALUE = 100;

/** What moved: as it was, as it is, as it was asked to be. */
export function driftList(drift: readonly Drift[]): Block[] {
  const [first, ...rest] = drift.slice(0, LISTED).map(row);
  if (first === undefined) return [];
  const more = drift.length > LISTED ? [[words(`and ${drift.length - LISTED} more`)]] : [];
  return [bullets([first, ...rest, ...more])];
}

function row({ field, then, now, asked }: Drift): Line {
  return [
    strong(field, 60),
    words(": was "),
    words(then, VALUE),
    words(", now "),
    strong(now, VALUE),
    ...(asked === undefined ? [] : [words(", asked for "), words(asked, VALUE)]),
  ];
}
