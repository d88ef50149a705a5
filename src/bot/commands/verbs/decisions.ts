import { z } from "zod";
import { changeField } from "../forms/fields.ts";
import { ChangeId } from "../grammar/argument-types.ts";
import { decideVerb } from "../grammar/verb.ts";

/** All three take the ID of one waiting request. */
const oneChange = { words: { id: "ID" }, args: z.object({ id: ChangeId }) };
const fields = () => [changeField];

export const approve = decideVerb({
  name: "approve",
  summary: "Approve a request",
  example: "approve K7Q2MX",
  near: ["accept", "lgtm", "allow"],
  phrases: [["(approve|accept|lgtm|allow) [(the|my) ][request ]ID", "approve ID"]],
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
  phrases: [
    ["(reject|deny|decline|refuse) [(the|my) ][request ]ID", "reject ID"],
    ["(reject|deny|decline|refuse) [(the|my) ][request ]ID,? (because|since|as) REASON", "reject ID --reason REASON"],
  ],
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
  phrases: [["(cancel|abort|withdraw) [(the|my) ][request ]ID", "cancel ID"]],
  ...oneChange,
  form: { title: "Cancel a request", submit: "Cancel request", fields },
  decision: ({ id }) => ({ kind: "cancel", changeId: id, reason: undefined }),
});
