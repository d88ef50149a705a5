import type { Outcome } from "../../changes/change.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { UserError } from "../../errors.ts";
import type { Terms, Verdict } from "../../policy/verdict.ts";
import { eligibility } from "./approvers.ts";
import { permissionsFor } from "./context.ts";
import { eventOf, logEvent } from "../history.ts";
import { SlackAway } from "../../slack/directory/people.ts";
import { isDirect } from "../origin.ts";
import { preflight } from "./preflight.ts";
import { type OpenedChange, reopened } from "../reopened.ts";
import { reapprovalNotice } from "./reapproval-notice.ts";
import type { Shell } from "../shell.ts";

/** Whether the current policy still lets an approved Change run. */
export type Clearance =
  | { readonly kind: "run"; readonly opened: OpenedChange }
  /** It needs more approvals than it has and is pending again. */
  | { readonly kind: "pending"; readonly change: StoredChange }
  /** It may not run, and approvals can't change that. */
  | { readonly kind: "refused"; readonly outcome: Extract<Outcome, { kind: "failed" }> }
  /** It changed meanwhile; the next reader judges it again. */
  | { readonly kind: "moved" }
  /** Slack can't say right now who people are. It stays approved and is judged again until it expires. */
  | { readonly kind: "untold" };

/**
 * Between request and execution, people leave, rules change and channels get locked. So this asks policy again and
 * counts only approvals from people who may approve now. Facts about people must be read from Slack after `sinceMs`, by
 * default now. Throws a `StoreError`.
 */
export async function clearToRun(
  shell: Shell,
  change: StoredChange,
  sinceMs = shell.now().getTime(),
): Promise<Clearance> {
  try {
    const opened = await reopened(shell, change);
    const judged = { change, opened, sinceMs };
    const verdict = await verdictNow(shell, judged);
    if (verdict.kind === "refuse") {
      const { name } = change.requester;
      throw new UserError(`${name} may not do this any more: ${verdict.why}`, { next: verdict.next });
    }
    if (verdict.kind !== "approve") return { kind: "run", opened };
    return await recount(shell, { ...judged, verdict });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error instanceof SlackAway) {
      shell.log.warn(
        { err: error, changeId: change.id },
        "an approved change waits for Slack to tell who may approve it",
      );
      return { kind: "untold" };
    }
    return { kind: "refused", outcome: { kind: "failed", why: error.message, next: error.next ?? "Ask again." } };
  }
}

type Judged = { readonly change: StoredChange; readonly opened: OpenedChange; readonly sinceMs: number };

/** The maximum age of facts read since that moment. */
function ageSince({ now }: Shell, sinceMs: number): number {
  return now().getTime() - sinceMs + 1;
}

/**
 * A break-glass request stays one: if breaking the glass is no longer allowed, it is refused, not sent for approval.
 */
async function verdictNow(shell: Shell, { change, opened, sinceMs }: Judged): Promise<Verdict> {
  const { account } = opened;
  const { requester, teamId, channelId, breakGlass, op, risk, workload } = change;
  const [profile, binding] = await Promise.all([
    shell.people.profile(requester.userId, ageSince(shell, sinceMs), requester.name),
    isDirect(channelId) ? undefined : shell.store.bindingOf(teamId, channelId),
  ]);
  const asked = groupsOf(shell);
  const permissions = permissionsFor({ ...shell, people: asked.people }, { profile, channelId, account, binding });
  const verdict = await permissions.verdict({ op, risk, workload }, { breakGlass });
  const away = asked.away();
  if (away !== undefined) throw away;
  return verdict;
}

/** When Slack can't say who is in a group, a new request counts as outside it; an approved change waits for the answer. */
function groupsOf({ people }: Shell) {
  let away: SlackAway | undefined;
  const groupMembers: Shell["people"]["groupMembers"] = async (...asked) => {
    try {
      return await people.groupMembers(...asked);
    } catch (error) {
      if (error instanceof SlackAway) away = error;
      throw error;
    }
  };
  return { people: { ...people, groupMembers }, away: () => away };
}

type Counted = Judged & { readonly verdict: Extract<Verdict, { kind: "approve" }> };

async function recount(shell: Shell, counted: Counted): Promise<Clearance> {
  const { change, opened, verdict } = counted;
  const { terms } = verdict;
  if (terms.reasonRequired && change.reason === undefined) {
    throw new UserError("The policy now requires a reason, and none was given.", {
      next: "Ask again, with a reason.",
    });
  }
  const counting = await countingVotes(shell, counted);
  if (counting.length >= terms.votes) return { kind: "run", opened };
  const returning = { change, verdict, notice: reapprovalNotice(change, terms, counting), counting };
  await checkCard(shell, returning);
  return backToPending(shell, returning);
}

/** The approvers who still count under these terms, by fresh lookups. */
async function countingVotes(shell: Shell, { change, verdict, sinceMs }: Counted): Promise<readonly string[]> {
  const { terms } = verdict;
  const counting: string[] = [];
  for (const { userId } of change.votes) {
    const voter = {
      userId,
      requesterId: change.requester.userId,
      channelId: cardChannel(change, terms),
      maxAgeMs: ageSince(shell, sinceMs),
    };
    const { kind } = await eligibility(shell.people, terms, voter);
    if (kind === "may") counting.push(userId);
  }
  return counting;
}

function cardChannel({ channelId }: StoredChange, { cardIn }: Terms): string {
  return cardIn ?? channelId;
}

type Returning = Pick<Counted, "change" | "verdict"> & {
  /** The reason, and the missing approvals. */
  readonly notice: string;
  readonly counting: readonly string[];
};

/** Refuses a request that nobody could see or decide. A card can't move to another channel. */
async function checkCard(shell: Shell, { change, verdict, notice }: Returning): Promise<void> {
  const { rule, terms } = verdict;
  const { requester, teamId, channelId, card } = change;
  const asker = { ...requester, teamId, channelId };
  const refused = await preflight(shell, { terms, rule, asker });
  const isElsewhere = card !== undefined && card.channelId !== cardChannel(change, terms);
  if (refused === undefined && !isElsewhere) return;
  const why = refused?.why ?? "policy now wants its card in another channel";
  throw new UserError(`${notice} That isn't possible here: ${why}.`, {
    next: "Ask again: the current policy then applies.",
  });
}

async function backToPending(shell: Shell, returning: Returning): Promise<Clearance> {
  const { change, verdict, notice, counting } = returning;
  const { id, version } = change;
  const { rule, terms } = verdict;
  const event = eventOf(shell, { ...change, rule }, { kind: "returned", result: notice });
  const result = await shell.store.returnToPending({ id, version, rule, terms, counting, notice }, event);
  if (result.kind === "moved") return result;
  if (result.kind === "duplicate") {
    const which = result.earlier === undefined ? "" : `, ${result.earlier.id},`;
    throw new UserError(`The policy changed, and the same request${which} is already waiting for approval.`, {
      next: "Approve that one instead.",
    });
  }
  logEvent(shell, event);
  return result;
}
