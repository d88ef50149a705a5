import { z } from "zod";
import { changeField } from "../forms/fields.ts";
import { ChangeId } from "../grammar/change-id.ts";
import { decideVerb } from "../grammar/verb.ts";

/** All three name one waiting change. */
const oneChange = { words: { id: "ID" }, args: z.object({ id: ChangeId }) };
const fields = () => [changeField];

export const approve = decideVerb({
  name: "approve",
  summary: "Vote for a change that waits",
  example: "approve K7Q2MX",
  ...oneChange,
  form: { title: "Approve a change", submit: "Approve", fields },
  decision: ({ id }) => ({ kind: "approve", changeId: id, reason: undefined }),
});

export const reject = decideVerb({
  name: "reject",
  summary: "Turn down a change that waits",
  usage: "reject ID [--reason TEXT]",
  example: "reject K7Q2MX --reason 'not before the sale is over'",
  ...oneChange,
  takesReason: true,
  form: { title: "Reject a change", submit: "Reject", fields },
  decision: ({ id }, reason) => ({ kind: "reject", changeId: id, reason }),
});

export const cancel = decideVerb({
  name: "cancel",
  summary: "Take back a change that you asked for, before it runs",
  example: "cancel K7Q2MX",
  ...oneChange,
  form: { title: "Take back a change", submit: "Take back", fields },
  decision: ({ id }) => ({ kind: "cancel", changeId: id, reason: undefined }),
});
