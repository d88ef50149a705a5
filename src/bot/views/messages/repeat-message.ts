import type { StoredChange } from "../../changes/stored-change.ts";
import type { Ask } from "../../ask.ts";
import { headlineBlock } from "../cards/change-card.ts";
import { changeSummary, namesIn } from "../cards/change-words.ts";
import { actions, context, section } from "../kit/blocks.ts";
import { words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";
import { span } from "../kit/time.ts";
import { runButton } from "./suggestion-buttons.ts";

export type RepeatMessage = {
  /** The earlier request, of the same person. */
  readonly change: StoredChange;
  readonly ask: Ask;
  readonly agoMs: number;
  readonly defaultRegion?: string | undefined;
};

/** For who repeats a request because they heard nothing of it. */
export function repeatMessage({ change, ask, agoMs, defaultRegion }: RepeatMessage): Post {
  const isCreation = change.op === "createService" || change.op === "createJob";
  return postOf(
    [
      headlineBlock(change, defaultRegion),
      section(
        `You requested the same ${span(agoMs)} ago, and Slack didn't take its card.`,
        [words(changeSummary(change), 600)],
        "Nothing was requested again.",
      ),
      // Nothing is created twice, and its values must not stand in a button.
      ...(isCreation ? [] : actions(runButton("Run it again", { ...ask, again: true }, { at: 0 }))),
      context(truncate(change.id, 40)),
    ],
    namesIn(change),
  );
}
