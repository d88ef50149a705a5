import { z } from "zod";
import { statusVerb } from "../grammar/verb.ts";

export const status = statusVerb({
  name: "status",
  summary: "Show whether Gantry works; workspace admins see details",
  example: "status",
  aliases: ["health"],
  near: ["check", "doctor", "ping", "readyz"],
  phrases: [
    ["is (gantry|the bot) [still ](STATE|there)", "status"],
    ["are you [still ](STATE|there)", "status"],
  ],
  args: z.object({}),
});
