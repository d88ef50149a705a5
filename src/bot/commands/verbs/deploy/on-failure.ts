import { z } from "zod";
import { AT_REST, isIdle } from "../../../../api/workload-status.ts";
import type { Change } from "../../../changes/change.ts";
import { earlierVersion } from "../../../changes/revisions.ts";
import { IF_STUCK } from "../../../views/kit/verb-words.ts";
import type { FormField } from "../../forms/form.ts";

/** What follows when new instances don't get ready. */
export const OnFailure = z
  .enum(["roll-back", "stop"], { error: "--on-failure takes roll-back or stop." })
  .default("roll-back");

export const onFailureFlag = {
  value: "W",
  summary: "if it doesn't get ready: `roll-back` (default) or `stop`",
} as const;

export const onFailureField: FormField = {
  id: "on-failure",
  label: "If it doesn't get ready",
  hint: "Default: roll back.",
  isMore: true,
  input: {
    kind: "choice",
    style: "menu",
    options: [
      { value: "roll-back", text: "Roll back" },
      { value: "stop", text: "Stay as it is" },
    ],
  },
};

/** What the card says before anybody approves. */
export function failureLine(change: Pick<Change, "backTo" | "before">, stays = false): string {
  if (!stays && (isIdle(change.before?.status) || change.before?.size === 0)) return AT_REST;
  const to = stays ? undefined : earlierVersion(change)?.revision;
  return to === undefined ? `stays as it is ${IF_STUCK}` : `back to revision ${to} automatically ${IF_STUCK}`;
}

/** The lines of a Change that is about to be sent: the revision to go back to may be another one by now. */
export function withFailureLine(diff: readonly string[], found: Pick<Change, "backTo" | "before">): readonly string[] {
  const mayBeOther = (line: string): boolean =>
    line === AT_REST || (line.startsWith("back to ") && line.endsWith(IF_STUCK));
  return diff.map((line) => (mayBeOther(line) ? failureLine(found) : line));
}
