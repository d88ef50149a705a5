import { isPartId, partsOf, requestIdOf, type StoredChange } from "../../changes/stored-change.ts";
import { SlackAway, UserError } from "../../errors.ts";
import { strictest } from "../../policy/evaluate.ts";
import type { Terms, Verdict } from "../../policy/policy.ts";
import type { Due } from "../due-kinds.ts";
import { advance } from "../history.ts";
import { step } from "../lifecycle.ts";
import { isDirect } from "../origin.ts";
import type { People, WorkflowParts } from "../ports.ts";
import { openRequest, type OpenRequest, readableContent } from "../open-request.ts";
import { changeIn } from "../stored-request.ts";
import { aboutChange } from "../../commands/lookup/authorize.ts";
import { ageSince, cardChannel, eligibility, preflight } from "./approvers.ts";
import { permissionsFor } from "./permissions.ts";
import type { Change, Outcome } from "../../changes/change.ts";
import { counted } from "../../views/kit/text.ts";

/** Whether the current policy still lets an approved Change run. */
export type Clearance =
  | { readonly kind: "run"; readonly opened: OpenRequest }
  /** It needs more approvals than it has and is pending again. */
  | { readonly kind: "pending"; readonly change: StoredChange }
  /** It may not run, and approvals can't change that. */
  | { readonly kind: "refused"; readonly outcome: Extract<Outcome, { kind: "failed" }> }
  /** It changed meanwhile; the next reader checks it again. */
  | { readonly kind: "moved" }
  /** Slack can't say right now who people are. It stays approved and is checked again until it expires. */
  | { readonly kind: "unchecked" };

/**
 * Between request and execution, people leave, rules change and channels get locked. So this asks policy again and
 * counts only approvals from people who may approve now. `proposed` has the workload as it was read since. Facts about
 * people must be read from Slack after `sinceMs`, by default now. Throws a `StoreError`.
 */
export async function clearToRun(
  deps: WorkflowParts,
  change: StoredChange,
  { due, sinceMs = deps.clock.now().getTime(), proposed }: Asking,
): Promise<Clearance> {
  try {
    const opened = await openRequest(deps, change);
    if (isPartId(change.id)) return await clearPart(deps, change, { opened, proposed });
    const asked = { change, opened, sinceMs, proposed };
    const verdict = await allowedNow(deps, asked);
    if (verdict.kind !== "approve") return { kind: "run", opened };
    return await recount(deps, { ...asked, verdict }, due);
  } catch (error) {
    return uncleared(deps, change, error);
  }
}

type Asking = { readonly due: Due; readonly sinceMs?: number; readonly proposed?: Change };

/** The workloads of one request that follow within this time need no further lookups of people. */
const PEOPLE_AGE_MS = 10_000;

/** The card of its request can't ask again, so a part that needs more approvals than the request has is refused. */
async function clearPart(
  deps: WorkflowParts,
  part: StoredChange,
  { opened, proposed }: Pick<OpenedChange, "opened" | "proposed">,
): Promise<Clearance> {
  const request = await deps.store.find({ id: requestIdOf(part.id) });
  if (request === undefined) return { kind: "moved" };
  const change = { ...request, parts: [part] };
  const asked = { change, opened, sinceMs: deps.clock.now().getTime() - PEOPLE_AGE_MS, proposed };
  const verdict = await allowedNow(deps, asked);
  if (verdict.kind !== "approve") return { kind: "run", opened };
  const counting = await countingApprovals(deps, { ...asked, verdict });
  if (counting.length >= verdict.terms.votes) return { kind: "run", opened };
  throw new UserError(reapprovalNotice(request, verdict.terms, counting));
}

function uncleared(
  { log }: WorkflowParts,
  { id }: StoredChange,
  error: unknown,
): Extract<Clearance, { kind: "refused" | "unchecked" }> {
  if (!(error instanceof UserError)) throw error;
  if (error instanceof SlackAway) {
    log.warn({ err: error, changeId: id }, "an approved request waits for Slack to confirm its approvers");
    return { kind: "unchecked" };
  }
  return { kind: "refused", outcome: { kind: "failed", why: error.message, next: error.next ?? "Request it again." } };
}

type OpenedChange = {
  readonly change: StoredChange;
  readonly opened: OpenRequest;
  readonly sinceMs: number;
  /** Default: as it was requested. */
  readonly proposed: Change | undefined;
};

/** The verdict of the current policy. Throws a `UserError` where it refuses, or requires a reason that wasn't given. */
async function allowedNow(deps: WorkflowParts, asked: OpenedChange): Promise<Exclude<Verdict, { kind: "refuse" }>> {
  const verdict = await verdictNow(deps, asked);
  const { requester, reason } = asked.change;
  if (verdict.kind === "refuse") {
    throw new UserError(`${requester.name} may no longer do this. ${verdict.why}`, { next: verdict.next });
  }
  if (verdict.kind === "approve" && verdict.terms.reasonRequired && reason === undefined) {
    throw new UserError("The policy now requires a reason, and none was given.", {
      next: "Request it again with a reason.",
    });
  }
  return verdict;
}

/**
 * A break-glass request stays one: if breaking the glass is no longer allowed, it is refused, not sent for approval.
 */
async function verdictNow(deps: WorkflowParts, { change, opened, sinceMs, ...asked }: OpenedChange): Promise<Verdict> {
  const { account } = opened;
  const { requester, teamId, channelId, breakGlass } = change;
  const [profile, binding] = await Promise.all([
    deps.people.profile(requester.userId, ageSince(deps.people, sinceMs), requester.name),
    isDirect(channelId) ? undefined : deps.store.bindingOf(teamId, channelId),
  ]);
  const watched = watchGroups(deps.people);
  const permissions = permissionsFor({ ...deps, people: watched.people }, { profile, channelId, account, binding });
  const verdicts = await Promise.all(
    partsOf(change).map((part) => {
      const proposed = asked.proposed ?? changeIn(part === change ? opened.content : readableContent(deps, part));
      return permissions.verdict({ ...aboutChange(proposed), risk: part.risk }, { breakGlass });
    }),
  );
  const verdict = strictest(verdicts);
  // What Slack doesn't say about a group allows nothing: it only matters where somebody would be refused.
  const away = watched.away();
  if (away !== undefined && (verdict === "split" || verdict.kind === "refuse")) throw away;
  if (verdict !== "split") return verdict;
  throw new UserError("The policy changed: these workloads no longer share an approval.", {
    next: "Request them one by one.",
  });
}

/** When Slack can't say who is in a group, a new request counts as outside it; an approved change waits for the answer. */
export function watchGroups(people: People) {
  let away: SlackAway | undefined;
  const groupMembers: People["groupMembers"] = async (...asked) => {
    try {
      return await people.groupMembers(...asked);
    } catch (error) {
      if (error instanceof SlackAway) away = error;
      throw error;
    }
  };
  return { people: { ...people, groupMembers }, away: () => away };
}

type Counted = OpenedChange & { readonly verdict: Extract<Verdict, { kind: "approve" }> };

async function recount(deps: WorkflowParts, counted: Counted, due: Due): Promise<Clearance> {
  const { change, opened, verdict } = counted;
  const { terms } = verdict;
  const counting = await countingApprovals(deps, counted);
  if (counting.length >= terms.votes) return { kind: "run", opened };
  const missing = { change, due, verdict, notice: reapprovalNotice(change, terms, counting), counting };
  await checkCard(deps, missing);
  return askAgain(deps, missing);
}

/** The approvers who still count under these terms, by fresh lookups. */
async function countingApprovals(
  { people }: WorkflowParts,
  { change, verdict, sinceMs }: Counted,
): Promise<readonly string[]> {
  const { terms } = verdict;
  const counting: string[] = [];
  for (const { userId } of change.votes) {
    const approver = {
      userId,
      requesterId: change.requester.userId,
      channelId: terms.cardIn ?? change.channelId,
      maxAgeMs: ageSince(people, sinceMs),
    };
    const { kind } = await eligibility(people, terms, approver);
    if (kind === "may") counting.push(userId);
  }
  return counting;
}

type Missing = Pick<Counted, "change" | "verdict"> & {
  readonly due: Due;
  /** The reason, and how many approvals are missing. */
  readonly notice: string;
  readonly counting: readonly string[];
};

/** Refuses a request that nobody could see or decide. A card can't move to another channel. */
async function checkCard(deps: WorkflowParts, { change, verdict, notice }: Missing): Promise<void> {
  const { rule, terms } = verdict;
  const { requester, teamId, channelId } = change;
  const asker = { ...requester, teamId, channelId };
  const refused = await preflight(deps, { terms, rule, asker });
  const isElsewhere = change.card !== undefined && cardChannel(change) !== (terms.cardIn ?? channelId);
  if (refused === undefined && !isElsewhere) return;
  const why = refused?.why ?? "policy now wants its card in another channel";
  throw new UserError(`${notice} That isn't possible here: ${why}.`, {
    next: "Request it again. The current policy then applies.",
  });
}

async function askAgain(deps: WorkflowParts, { change, due, verdict, notice, counting }: Missing): Promise<Clearance> {
  const { version } = change;
  const { rule, terms } = verdict;
  const again = step("askAgain", { due, version, rule, terms, counting, notice });
  const asked = await advance(deps, { ...change, rule }, { ...again, result: notice });
  if (asked.kind === "moved") return { kind: "pending", change: asked.change };
  if (asked.kind !== "busy") return { kind: "moved" };
  const which = asked.earlier === undefined ? "" : `, ${asked.earlier.id},`;
  throw new UserError(`The policy changed, and the same request${which} is already waiting for approval.`, {
    next: "Approve that one instead.",
  });
}

/** Why an approved Change needs approval again: "Ann Lee's approval no longer counts. 1 more approval is needed." */
function reapprovalNotice(
  { terms: before, votes, wayBackOf }: Pick<StoredChange, "terms" | "votes" | "wayBackOf">,
  now: Terms,
  counting: readonly string[],
): string {
  const lost = votes.filter(({ userId }) => !counting.includes(userId)).map(({ name }) => name);
  const missing = now.votes - counting.length;
  const more = counting.length === 0 ? "approval" : "more approval";
  // Nobody asked policy about an automatic way back before.
  const isFirst = before === undefined && wayBackOf !== undefined;
  const isSame = before !== undefined && whoMustApprove(before) === whoMustApprove(now);
  return [
    ...(isFirst ? ["Going back needs approval."] : isSame ? [] : ["The policy changed since the request."]),
    ...lostWords(lost),
    `${counted(missing, more)} ${missing === 1 ? "is" : "are"} needed.`,
  ].join(" ");
}

function lostWords(names: readonly string[]): readonly string[] {
  const last = names.at(-1);
  if (last === undefined) return [];
  if (names.length === 1) return [`${last}'s approval no longer counts.`];
  return [`The approvals of ${names.slice(0, -1).join(", ")} and ${last} no longer count.`];
}

/** Not the expiry, or whom the card mentions. */
function whoMustApprove({ votes, from, selfApproval, reasonRequired, cardIn }: Terms): string {
  const { users, groups, channelMembers } = from;
  return JSON.stringify([votes, users, groups, channelMembers, selfApproval, reasonRequired, cardIn ?? null]);
}
