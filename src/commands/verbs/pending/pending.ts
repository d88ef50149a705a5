import { z } from "zod";
import { pendingList } from "./pending-list.ts";
import { freeVerb } from "../../grammar/verb.ts";

export const pending = freeVerb({
  name: "pending",
  summary: "Show the changes that wait for approval",
  usage: "pending",
  example: "pending",
  flags: {},
  words: 0,
  args: z.object({ page: z.number().int().min(0).default(0) }),
  read: () => ({}),
  answer: async ({ page }, { records, ask, settings, defaultRegion, now }) =>
    pendingList({
      changes: await records.pending(),
      ask,
      page,
      command: settings.command,
      defaultRegion,
      now,
    }),
});
