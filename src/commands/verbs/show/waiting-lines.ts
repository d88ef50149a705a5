import type { StoredChange } from "../../../changes/stored-change.ts";
import { section, type Line } from "../../../views/kit/blocks.ts";
import { actionWords } from "../../../views/cards/change-words.ts";
import { code, strong, words, type Inline } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";

const LISTED = 3;
const DIFF = 2;

export type Waiting = {
  /** Oldest first; undefined when they couldn't be read. */
  readonly changes: readonly StoredChange[] | undefined;
  readonly command: string;
};

/** The changes of one workload that wait for approval, for its card. */
export function waitingLines(waiting: Waiting | undefined): Block[] {
  if (waiting === undefined) return [];
  const { changes, command } = waiting;
  if (changes === undefined) return [section("⚠️ Couldn't check pending approvals. Try again in a minute.")];
  const [first, ...rest] = changes.slice(0, LISTED).map(line);
  if (first === undefined) return [];
  const more = changes.length - LISTED;
  return [section(first, ...rest, ...(more > 0 ? [`${more} more: \`${command} pending\``] : []))];
}

/** "⏳ K7Q2MX waits for approval: scale service web, instances 2 → 4 · asked by Dana Reyes · 0 of 1". */
function line(change: StoredChange): Line {
  const { id, requester, terms, votes, diff } = change;
  const what: Inline[] = diff.length === 0 ? [] : [words(`, ${diff.slice(0, DIFF).join(", ")}`, 160)];
  return [
    words("⏳ "),
    code(id, 40),
    words(" waits for approval: "),
    ...actionWords(change),
    ...what,
    words(" · asked by "),
    strong(requester.name, 80),
    words(` · ${votes.length} of ${terms?.votes ?? 1}`),
  ];
}
