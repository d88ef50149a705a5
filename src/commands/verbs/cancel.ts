import { z } from "zod";
import { ChangeId } from "../grammar/change-id.ts";
import { changeField } from "../forms/change-field.ts";
import { decideVerb } from "../grammar/verb.ts";

export const cancel = decideVerb({
  name: "cancel",
  summary: "Take back a change that you asked for, before it runs",
  usage: "cancel ID",
  example: "cancel K7Q2MX",
  flags: {},
  words: 1,
  args: z.object({ id: ChangeId }),
  read: ({ positionals: [id] }) => ({ id }),
  form: { title: "Take back a change", submit: "Take back", fields: () => [changeField] },
  decision: ({ id }) => ({ kind: "cancel", changeId: id, reason: undefined }),
});
