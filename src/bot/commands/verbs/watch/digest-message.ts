import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";
import type { WorkloadStatus } from "../../../../api/workload-status.ts";
import {
  actions,
  askButton,
  context,
  header,
  type Line,
  listed,
  section,
  type Block,
} from "../../../views/kit/blocks.ts";
import { dotOf } from "../../../views/kit/health.ts";
import { historyLine } from "../../../views/cards/history-line.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import { type Post, postOf } from "../../../views/kit/post.ts";
import { counted } from "../../../views/kit/text.ts";
import { requestTitle } from "../../../views/cards/request-lines.ts";
import type { WatchTarget } from "../../../watch/watch.ts";
import { statusText } from "../list/workload-list.ts";
import { targetWords } from "./watch-message.ts";

export type Digest = {
  readonly target: Pick<WatchTarget, "kind" | "names" | "region">;
  /** The workloads that a list counts as needing attention. */
  readonly unwell: readonly {
    readonly kind: "service" | "job";
    readonly name: string;
    readonly health: WorkloadStatus;
  }[];
  /** Newest first. */
  readonly changes: readonly HistoryEvent[];
  readonly waiting: readonly StoredChange[];
  /** Why something is missing: complete sentences. */
  readonly problems: readonly string[];
  readonly now: Date;
  readonly defaultRegion: string;
  /** Slack may have taken it before. */
  readonly isAgain: boolean;
};

const LISTED = 8;

/** One message about a day; undefined when there is nothing to say. */
export function digestMessage(digest: Digest): Post | undefined {
  const { unwell, changes, waiting, problems, now, defaultRegion, target, isAgain } = digest;
  if (unwell.length + changes.length + waiting.length + problems.length === 0) return undefined;
  const counts = [
    problems.length === 0 || unwell.length > 0 ? attentionWords(unwell.length) : "state unknown",
    ...(changes.length > 0 ? [counted(changes.length, "change")] : []),
    ...(waiting.length > 0 ? [`${waiting.length} waiting`] : []),
  ];
  return postOf([
    header(`Digest: ${counts.join(" · ")}`),
    ...problems.map((problem) => section(`⚠️ ${problem}`)),
    ...list(
      "Needs attention",
      // Without the age of the last restart: the message isn't redrawn.
      unwell.map(({ kind, name, health: { lastAt: _lastAt, ...health } }): Line => [
        words(`${dotOf({ level: health.level })} ${kind === "job" ? "job " : ""}`),
        strong(name, 100),
        words(` · ${statusText(health, now)}`, 160),
      ]),
    ),
    ...list(
      "Changed",
      changes.map((event) => historyLine(event, { defaultRegion, detail: "full" })),
    ),
    ...list(
      "Waiting for approval",
      waiting.map((change): Line => requestTitle(change, { defaultRegion })),
    ),
    ...(waiting.length > 0 ? actions(askButton("Review", { verb: "pending", share: false, args: {} })) : []),
    context(`About ${plainTarget(target)}${isAgain ? " · sent again: you may have it already" : ""}`),
  ]);
}

function attentionWords(count: number): string {
  return count === 0 ? "nothing needs attention" : `${count} ${count === 1 ? "needs" : "need"} attention`;
}

function plainTarget(target: Digest["target"]): string {
  return targetWords(target)
    .map((piece) => (piece.type === "text" ? piece.text : ""))
    .join("");
}

function list(title: string, lines: readonly Line[]): Block[] {
  return listed(lines.slice(0, LISTED), { title: [strong(title)], left: lines.length - LISTED });
}
