import { z } from "zod";
import { pendingList } from "./pending-list.ts";
import { readVerb } from "../../grammar/verb.ts";

export const pending = readVerb({
  name: "pending",
  summary: "Show the changes that wait for approval",
  example: "pending",
  args: z.object({ page: z.number().int().min(0).default(0) }),
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
