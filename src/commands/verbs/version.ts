import { z } from "zod";
import { section } from "../../views/kit/blocks.ts";
import { code, words } from "../../views/kit/inline.ts";
import { postOf } from "../../views/kit/post.ts";
import { readVerb } from "../grammar/verb.ts";

/** For reports of errors. The address of the workload API holds no token. */
export const version = readVerb({
  name: "version",
  summary: "Show the versions of Gantry and Node, and the workload API's address",
  example: "version",
  args: z.object({}),
  answer: async (_args, { settings }) =>
    postOf([
      section([
        words(`Gantry ${settings.version} · Node ${process.versions.node} · workload API `),
        code(hostOf(settings.serviceUrl), 120),
      ]),
    ]),
});

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
