import { z } from "zod";
import type { StoredChange } from "../../../changes/stored-change.ts";
import { UserError } from "../../../errors.ts";
import type { Terms } from "../../../policy/policy.ts";
import type { Context } from "../../command.ts";
import { PENDING_PAGE, pendingList, type PendingRow } from "./pending-list.ts";
import { readVerb } from "../../grammar/verb.ts";

export const pending = readVerb({
  name: "pending",
  summary: "Show requests waiting for approval",
  example: "pending",
  near: ["requests", "queue", "approvals", "waiting"],
  phrases: [
    ["(what's|whats|what is) (waiting|pending|open)[ for (approval|me|us|my approval)]", "pending"],
    [
      "(what|who) (needs|requires|wants|awaits|is waiting for|waits for) (my|our|an|any) (approval|ok|okay|review)",
      "pending",
    ],
    [
      "[is there |are there ]anything (to approve|waiting|pending|for me)[ (to approve|for me|for us|for approval)]",
      "pending",
    ],
    ["what (can|should|must|do) i (have to |need to |)approve", "pending"],
    ["SHOW[(the|my|our|all) ](pending|waiting|open) (requests?|approvals?|changes?)", "pending"],
    ["(which|what) (requests?|approvals?|changes?) are (pending|waiting|open)[ for (approval|me|us)]", "pending"],
    ["(my|open|pending|waiting) (approvals|requests)|do i (have|need) to approve anything", "pending"],
  ],
  args: z.object({ page: z.number().int().min(0).default(0) }),
  async answer({ page: wanted }, context) {
    const { records, ask, defaultRegion, now } = context;
    const all = (await records.pending()).toReversed();
    const page = Math.min(wanted, Math.max(0, Math.ceil(all.length / PENDING_PAGE) - 1));
    const shown = all.slice(page * PENDING_PAGE, (page + 1) * PENDING_PAGE);
    const rows = await Promise.all(shown.map((change) => rowOf(change, context)));
    return pendingList({ rows, total: all.length, page, ask, defaultRegion, now });
  },
});

type Deciding = Pick<Context, "records" | "permissions" | "asker">;

/** Only for the requests of one page: each can cost a look at a user group or a channel. */
async function rowOf(change: StoredChange, { records, permissions, asker }: Deciding): Promise<PendingRow> {
  const { terms, requester } = change;
  if (await records.mayDecide(change)) return { change, may: "decide", approvers: undefined };
  const may = requester.userId === asker.userId ? "cancel" : "nothing";
  if (terms === undefined || terms.from.channelMembers) return { change, may, approvers: undefined };
  return { change, may, approvers: await approverNames(permissions, terms) };
}

/** Without the names the list is still useful: Slack may not answer. */
async function approverNames({ approvers }: Context["permissions"], { from }: Terms): Promise<PendingRow["approvers"]> {
  try {
    return await approvers(from);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return "unknown";
  }
}
