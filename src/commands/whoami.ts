import { z } from "zod";
import { whoami as whoamiMessage } from "../views/whoami.ts";
import { readVerb } from "./verb.ts";

export const whoami = readVerb({
  name: "whoami",
  summary: "Show which account Gantry acts with for you, and how many calls it made",
  usage: "whoami",
  example: "whoami",
  flags: {},
  words: 0,
  args: z.object({}),
  read: () => ({}),
  answer: async (_args, { account, settings, region, asker, now }) =>
    whoamiMessage({
      account: { username: account.username, maskedToken: account.maskedToken },
      service: settings.serviceUrl,
      region,
      regions: settings.regions,
      calls: account.calls,
      slackUser: asker.userId,
      now,
    }),
});
