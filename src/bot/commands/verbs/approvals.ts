import { z } from "zod";
import { changeField } from "../forms/form.ts";
import { ChangeId } from "../grammar/argument-types.ts";
import { decideVerb, readVerb } from "../grammar/verb.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { readOr } from "../../errors.ts";
import type { Context, VerbContext } from "../command.ts";
import { deletedSince, deletionsSince, deletionText } from "../lookup/deletions.ts";
import { actions, askButton, context, section, type Line, type Block } from "../../views/kit/blocks.ts";
import { channel, code, strong, words, type Inline } from "../../views/kit/inline.ts";
import { type Message, plainTextOf, post } from "../../views/kit/post.ts";
import { approvalsText, askedBy, countedText, decisionButtons, requestTitle } from "../../views/cards/request-lines.ts";
import { counted, truncate, visible } from "../../views/kit/text.ts";

/** All three take the ID of one waiting request. */
const oneChange = { words: { id: "ID" }, args: z.object({ id: ChangeId }) };
const fields = () => [changeField];

export const approve = decideVerb({
  name: "approve",
  summary: "Approve a request",
  example: "approve K7Q2MX",
  near: ["accept", "lgtm", "allow"],
  phrases: [["approve [request] ID", "approve ID"]],
  ...oneChange,
  form: { title: "Approve a request", submit: "Approve", fields },
  decision: ({ id }) => ({ kind: "approve", changeId: id, reason: undefined }),
});

export const reject = decideVerb({
  name: "reject",
  summary: "Reject a request",
  usage: "reject ID [--reason TEXT]",
  example: "reject K7Q2MX --reason 'wait until the sale ends'",
  near: ["deny", "decline", "refuse"],
  phrases: [["reject [request] ID", "reject ID --reason REASON"]],
  ...oneChange,
  takesReason: true,
  form: { title: "Reject a request", submit: "Reject", fields },
  decision: ({ id }, reason) => ({ kind: "reject", changeId: id, reason }),
});

export const cancel = decideVerb({
  name: "cancel",
  summary: "Cancel your own request before it runs",
  example: "cancel K7Q2MX",
  near: ["abort", "withdraw", "revoke"],
  phrases: [
    ["cancel [request] ID", "cancel ID"],
    ["cancel request", "cancel"],
  ],
  ...oneChange,
  form: { title: "Cancel a request", submit: "Cancel request", fields },
  decision: ({ id }) => ({ kind: "cancel", changeId: id, reason: undefined }),
});

export const pending = readVerb({
  name: "pending",
  helpGroup: "Approve",
  summary: "Show requests waiting for approval",
  example: "pending",
  near: ["requests", "queue", "approvals", "waiting"],
  phrases: [
    ["[who] [pending] [request|history] mine|(approve|reject) NAME request", "pending --mine"],
    ["(approve|reject|cancel) (restart|deploy|rollback|scale|stop|delete|versions) NAME", "pending"],
    ["(what|any|is what|is any) [should|must|can] [need] approve [request]|can approve", "pending --mine"],
    ["pending [approval] [request|history]|approval [need|who need]|request", "pending"],
    ["who [is|can|may|must|should] approve [it] [request]|[where] is request [DONE]", "pending"],
  ],
  flags: { mine: { summary: "only those that you can approve", isInternal: true } },
  args: z.object({ page: z.number().int().min(0).default(0), mine: z.boolean().default(false) }),
  async answer({ page: wanted, mine }, context) {
    const { records, ask, defaultRegion, now } = context;
    const waiting = (await records.pending()).toReversed();
    const checked = mine ? waiting.slice(0, MOST_CHECKED) : waiting;
    const may = await Promise.all(mine ? checked.map((change) => records.mayDecide(change)) : []);
    const all = checked.filter((_, at) => !mine || may[at] === true);
    const page = Math.min(wanted, Math.max(0, Math.ceil(all.length / PENDING_PAGE) - 1));
    const shown = all.slice(page * PENDING_PAGE, (page + 1) * PENDING_PAGE);
    const deletions = await deletionsSince(shown, context);
    const rows = await Promise.all(
      shown.map(async (change) => ({ ...(await rowOf(change, context)), deletion: deletedSince(change, deletions) })),
    );
    const unchecked = waiting.length - checked.length;
    return pendingList({ rows, total: all.length, unchecked, page, ask, defaultRegion, now });
  },
});

/** Each check can cost a Slack call. */
const MOST_CHECKED = 20;

type Deciding = Pick<Context, "records" | "permissions" | "asker">;

/** Only for the requests of one page: each can cost a look at a user group or a channel. */
async function rowOf(change: StoredChange, { records, permissions, asker }: Deciding): Promise<PendingRow> {
  const { terms, requester } = change;
  if (await records.mayDecide(change)) return { change, may: "decide", approvers: undefined };
  const may = requester.userId === asker.userId ? "cancel" : "nothing";
  if (terms === undefined || terms.from.channelMembers) return { change, may, approvers: undefined };
  // Slack may not answer.
  return { change, may, approvers: await readOr(permissions.approvers(terms.from), "unknown" as const) }; // a literal
}

/** A waiting request, with what its reader may do. */
type PendingRow = {
  readonly change: StoredChange;
  readonly may: "decide" | "cancel" | "nothing";
  /** Who could approve it now; undefined when any member of the card's channel may. */
  readonly approvers: { readonly names: readonly string[]; readonly count: number | undefined } | "unknown" | undefined;
  /** The deletion of its workload since. */
  readonly deletion?: HistoryEvent | undefined;
};

type PendingList = Pick<VerbContext, "ask" | "now" | "defaultRegion"> & {
  /** Those of this page, newest first. */
  readonly rows: readonly PendingRow[];
  /** On all pages. */
  readonly total: number;
  /** Older ones that may wait for the reader, too. */
  readonly unchecked: number;
  /** From 0; never beyond the end. */
  readonly page: number;
};

/** As many as fit into one message with the longest names and reasons. */
export const PENDING_PAGE = 5;

/** Requests that wait for approval, with buttons for those that the reader may decide. */
export function pendingList(list: PendingList): Message {
  const { rows, total, page } = list;
  const isMine = list.ask.args["mine"] === true;
  if (rows.length === 0 && isMine) {
    const sentence = ["Nothing needs your approval.", ...uncheckedText(list)].join(" ");
    return post(sentence, [section(sentence), ...actions(askButton("All requests", { ...list.ask, args: {} }))]);
  }
  if (rows.length === 0) {
    const sentence = "Nothing is waiting for approval.";
    const history = { ...list.ask, verb: "history", args: {} };
    return post(sentence, [section(sentence), ...actions(askButton("Recent requests", history))]);
  }
  const title = `${counted(total, "request")} waiting for ${isMine ? "your approval" : "approval"}`;
  const from = page * PENDING_PAGE;
  const part = total > PENDING_PAGE ? `${from + 1}–${from + rows.length} of ${total}, newest first` : "";
  const spoken = rows.map(({ change, deletion }) => {
    const request = plainTextOf([section(requestTitle(change, list))]);
    const gone = deletion === undefined ? "" : `, ${deletionText(deletion, list.now)}`;
    return `${request}, ${truncate(visible(change.requester.name), 40)}, ${approvalsText(change, list)}${gone}`;
  });
  return post([title, ...spoken].join("\n"), [
    section([strong(title)]),
    ...rows.flatMap((row) => entry(row, list)),
    ...[part, ...uncheckedText(list)].filter((each) => each !== "").map((each) => context(each)),
    ...actions(
      page > 0 ? turn("Newer", list, page - 1) : undefined,
      from + rows.length < total ? turn("Older", list, page + 1) : undefined,
    ),
  ]);
}

function uncheckedText({ unchecked }: PendingList): readonly string[] {
  return unchecked === 0 ? [] : [`${counted(unchecked, "older request")} not checked.`];
}

function turn(label: string, { ask }: PendingList, page: number) {
  return askButton(label, { ...ask, args: { ...ask.args, page } });
}

function entry(row: PendingRow, list: PendingList): Block[] {
  const { change, may, deletion } = row;
  const needs: Line = [...neededFrom(row), words(` · ${countedText(change, list)}`, 400)];
  const lines = [
    requestTitle(change, list),
    askedBy(change, list),
    ...(deletion === undefined ? [] : [[words(`⚠️ ${deletionText(deletion, list.now)}`, 200)]]),
    needs,
    [
      code(change.id, 40),
      ...(change.card === undefined
        ? [words(" · its card isn't posted yet")]
        : [words(" · card in "), channel(change.card.channelId)]),
    ],
  ] as const;
  return [section(...lines), ...decisionButtons(change, may)];
}

/** "Needs 1 approval from another member of #ops". */
function neededFrom({ change, may, approvers }: PendingRow): Inline[] {
  const { card, channelId, terms, votes } = change;
  if (may === "decide") return [words("Needs your approval")];
  const missing = Math.max(1, (terms?.votes ?? 1) - votes.length);
  const needs = `Needs ${counted(missing, "approval")}`;
  const isUnknown = approvers === "unknown" || (approvers?.count === undefined && approvers?.names.length === 0);
  if (isUnknown) return [words(needs)];
  if (approvers === undefined) {
    const other = missing === 1 ? "another member" : "other members";
    const member = terms?.selfApproval === true ? counted(missing, "member") : other;
    return [words(`${needs} from ${member} of `), channel(card?.channelId ?? channelId)];
  }
  const who = namesText(approvers);
  return [words(who === "" ? `${needs}, but nobody can approve it right now` : `${needs} from ${who}`)];
}

/** "Alex Kim, Omar Haddad or 3 more". */
function namesText({ names, count }: Exclude<PendingRow["approvers"], "unknown" | undefined>): string {
  const others = count === undefined ? "others" : `${count - names.length} more`;
  const more = count === undefined || count > names.length ? [others] : [];
  const all = names.length === 0 ? [] : [...names.map((name) => truncate(visible(name), 40)), ...more];
  return all.join(", ").replace(/, ([^,]*)$/u, " or $1");
}
