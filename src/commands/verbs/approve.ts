import { z } from "zod";
import { ChangeId } from "../grammar/change-id.ts";
import { changeField } from "../forms/change-field.ts";
import { decideVerb } from "../grammar/verb.ts";

export const approve = decideVerb({
  name: "approve",
  summary: "Vote for a change that waits",
  usage: "approve ID",
  example: "approve K7Q2MX",
  flags: {},
  words: 1,
  args: z.object({ id: ChangeId }),
  read: ({ positionals: [id] }) => ({ id }),
  form: { title: "Approve a change", submit: "Approve", fields: () => [changeField] },
  decision: ({ id }) => ({ kind: "approve", changeId: id, reason: undefined }),
});
