import { z } from "zod";
import { whoami as whoamiMessage } from "./view.ts";
import { readVerb } from "../../grammar/verb.ts";

export const whoami = readVerb({
  name: "whoami",
  summary: "Show your account, region and API usage",
  example: "whoami",
  aliases: ["me"],
  near: ["who", "account"],
  phrases: [
    ["(which|what) account (do i use|am i using|is mine|is this|do i have)|who am i to you", "whoami"],
    ["who am i", "whoami"],
  ],
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
