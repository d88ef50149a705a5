import { z } from "zod";
import { AT_REST, isIdle } from "../../../../api/workload-status.ts";
import type { Change } from "../../../changes/change.ts";
import { earlierVersion, type JudgedRevision, judgedRevisions, isGoingBack } from "../../../changes/revisions.ts";
import { IF_STUCK, changesOf } from "../../../views/kit/verb-words.ts";
import type { FormField } from "../../forms/form.ts";
import type { Service } from "../../../../api/answers.ts";
import type { VerbContext } from "../../command.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import { counted } from "../../../views/kit/text.ts";

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

/** Enough rows of history to hold who made the revisions that are kept. */
const LOOKED_AT = 100;

/** The revisions of a service, judged with the requests for it that ran or were decided. */
export async function judgedBy(
  service: Service,
  { records, region, account: { username: account } }: Pick<VerbContext, "records" | "region" | "account">,
): Promise<readonly JudgedRevision[]> {
  const { name, revisions = [] } = service;
  if (revisions.length === 0) return [];
  const { events } = await records.history({ workload: { name, account }, show: "outcomes", limit: LOOKED_AT });
  const requests = events.flatMap(({ workload, request }) =>
    request !== undefined && workload?.kind === "service" && workload.region === region ? [request] : [],
  );
  return judgedRevisions(service, requests);
}

/** What going back to a revision takes back, beside what is meant. */
export type TakenBack = { readonly lines: readonly string[]; readonly isOfOthers: boolean };

type Going = {
  readonly to: Revision;
  /** The id of the person who goes back. */
  readonly userId: string;
  /** The request that they take back; without one, they mean the version that runs. */
  readonly undoes: string | undefined;
};

const LISTED = 5;

/** The changes since a revision that going back to it takes back, newest first. Pure. */
export function takenBack(judged: readonly JudgedRevision[], { to, userId, undoes }: Going): TakenBack {
  const since = judged.filter(
    ({ revision, wasLeft, madeBy }) =>
      revision > to.revision && !wasLeft && !(madeBy !== undefined && isGoingBack(madeBy)),
  );
  const isMeant = ({ madeBy }: JudgedRevision): boolean => madeBy !== undefined && madeBy.id === undoes;
  const good = since.filter(({ standing }) => standing !== "failed");
  const isOnlyNow = good.every((each) => each === since[0]);
  const also = undoes === undefined ? (isOnlyNow ? [] : since) : good.filter((each) => !isMeant(each));
  const lines = also.slice(0, LISTED).map(({ revision, madeBy }) => {
    const by = madeBy?.requester.name ?? "somebody unknown";
    const what = changesOf(madeBy?.diff ?? []).join(", ");
    // An arrow would be read as a difference of this request.
    return `also takes back revision ${revision} by ${by}${what === "" ? "" : `: ${what.replaceAll(" → ", " to ")}`}`;
  });
  const more = also.length > LISTED ? [`also takes back ${counted(also.length - LISTED, "earlier one")}`] : [];
  const isOfOthers = also.some((each) => good.includes(each) && each.madeBy?.requester.userId !== userId);
  return { lines: [...lines, ...more], isOfOthers };
}
