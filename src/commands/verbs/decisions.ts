import { z } from "zod";
import { ChangeId } from "../grammar/change-id.ts";
import { changeField } from "../forms/change-field.ts";
import { decideVerb } from "../grammar/verb.ts";

export const reject = decideVerb({
  name: "reject",
  summary: "Turn down a change that waits",
  usage: "reject ID [--reason TEXT]",
  example: "reject K7Q2MX --reason 'not before the sale is over'",
  flags: { reason: { value: "TEXT", summary: "why, for the card and for history" } },
  words: 1,
  args: z.object({ id: ChangeId }),
  read: ({ positionals: [id] }) => ({ id }),
  form: { title: "Reject a change", submit: "Reject", fields: () => [changeField] },
  decision: ({ id }, reason) => ({ kind: "reject", changeId: id, reason }),
});
