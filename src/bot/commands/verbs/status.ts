import { z } from "zod";
import { statusVerb, readVerb } from "../grammar/verb.ts";
import { section } from "../../views/kit/blocks.ts";
import { code, words } from "../../views/kit/inline.ts";
import { postOf } from "../../views/kit/post.ts";

export const status = statusVerb({
  name: "status",
  summary: "Show whether Gantry works; workspace admins see details",
  example: "status",
  aliases: ["health"],
  near: ["check", "doctor", "ping", "readyz"],
  phrases: [["[how] is you [good|up|down|bad|running|STATUS]", "status"]],
  args: z.object({}),
});

/** For reports of errors. The address of the workload API holds no token. */
export const version = readVerb({
  name: "version",
  helpGroup: "Set up",
  summary: "Show the versions of Gantry and Node, and the workload API's address",
  example: "version",
  aliases: ["--version", "-v"],
  near: ["about"],
  phrases: [["what version is (you|it|running) [run]|what version is it you", "version"]],
  args: z.object({}),
  answer: async (_args, { settings }) =>
    postOf([
      section([
        words(`Gantry ${settings.version} · Node ${process.versions.node} · workload API `),
        // Without a remote one, Gantry runs its own.
        URL.canParse(settings.serviceUrl) ? code(new URL(settings.serviceUrl).host, 120) : words("built in"),
      ]),
    ]),
});
