import { z } from "zod";
import { statusVerb } from "../grammar/verb.ts";

export const status = statusVerb({
  name: "status",
  summary: "Show whether Gantry works; workspace admins see details",
  example: "status",
  args: z.object({}),
});
