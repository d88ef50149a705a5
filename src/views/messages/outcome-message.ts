import type { Change } from "../../changes/change.ts";
import type { Outcome } from "../../changes/outcome.ts";
import { section } from "../kit/blocks.ts";
import { person, words } from "../kit/inline.ts";
import type { Message } from "../kit/message.ts";
import { outcomeBlocks, outcomeSentence } from "../cards/outcome-blocks.ts";
import { post } from "../kit/post.ts";

export type OutcomeMessage = {
  readonly change: Change;
  readonly outcome: Outcome;
  readonly command: string;
  /** Who asked, by Slack id. */
  readonly by: string;
  /** The region that needs not be typed; without it the hints name none. */
  readonly defaultRegion?: string;
};

/** How a write ended, for a Change that has no card. */
export function outcomeMessage({ change, by, ...rest }: OutcomeMessage): Message {
  const { call, workload, diff } = change;
  const input = { op: call.op, workload, diff, ...rest };
  const spoken = outcomeSentence(input).map((piece) => (piece.type === "text" ? piece.text : ""));
  return post([spoken.join(""), ...diff].join("\n"), [
    ...outcomeBlocks(input),
    ...(by === "" ? [] : [section([words("By "), person(by)])]),
  ]);
}
