import { z } from "zod";
import { whoami as whoamiMessage } from "./view.ts";
import { readVerb } from "../../grammar/verb.ts";

export const whoami = readVerb({
  name: "whoami",
  summary: "Show your account, region and API usage",
  example: "whoami",
  args: z.object({}),
  forEverybody: true,
  answer: async (_args, { account, settings, region, asker }) =>
    whoamiMessage({
      account: { ...account, calls: await account.calls() },
      command: settings.command,
      service: settings.serviceUrl,
      region,
      regions: settings.regions,
      slackUser: asker.userId,
    }),
});
