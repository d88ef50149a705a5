import { z } from "zod";
import { whoami as whoamiMessage } from "./view.ts";
import { readVerb } from "../../grammar/verb.ts";

export const whoami = readVerb({
  name: "whoami",
  summary: "Show your account, region and API usage",
  example: "whoami",
  args: z.object({}),
  forEverybody: true,
  async answer(_args, { account, settings, engine, region, asker }) {
    const [calls, running] = await Promise.all([account.calls(), engine()]);
    return whoamiMessage({
      account: { ...account, calls },
      command: settings.command,
      service: settings.serviceUrl,
      engine: running,
      region,
      regions: settings.regions,
      jobsRegion: settings.jobsRegion,
      slackUser: asker.userId,
    });
  },
});
