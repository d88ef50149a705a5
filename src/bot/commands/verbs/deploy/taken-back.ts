import type { Revision } from "../../../../api/workload-shapes.ts";
import { isGoingBack, type JudgedRevision } from "../../../changes/revisions.ts";
import { counted } from "../../../views/kit/text.ts";
import { changesOf } from "../../../views/kit/verb-words.ts";

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
