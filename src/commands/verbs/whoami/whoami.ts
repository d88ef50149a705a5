import { z } from "zod";
import { whoami as whoamiMessage } from "./view.ts";
import { readVerb } from "../../grammar/verb.ts";

export const whoami = readVerb({
  name: "whoami",
  summary: "Show which account Gantry acts with for you, and how many calls it made",
  example: "whoami",
  args: z.object({}),
  forEverybody: true,
  answer: async (_args, { account, settings, region, asker, now }) =>
    whoamiMessage({
      account: { ...account, calls: await account.calls() },
      command: settings.command,
      service: settings.serviceUrl,
      region,
      regions: settings.regions,
      slackUser: asker.userId,
      now,
    }),
});
