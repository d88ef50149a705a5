import { z } from "zod";
import { jobCard } from "../views/job-card.ts";
import { serviceCard } from "../views/service-card.ts";
import { findWorkload } from "./lookup.ts";
import { Target } from "./target.ts";
import { readVerb } from "./verb.ts";

export const show = readVerb({
  name: "show",
  summary: "Show one service or job",
  usage: "show NAME",
  example: "show web",
  flags: {},
  words: 1,
  args: z.object({ name: Target }),
  read: ({ positionals: [name] }) => ({ name }),
  async answer({ name }, given) {
    const found = await findWorkload(name, given);
    const { now, settings } = given;
    return found.kind === "service"
      ? serviceCard({
          service: found.service,
          region: found.region,
          now,
          command: settings.command,
          defaultRegion: settings.region,
        })
      : jobCard({ job: found.job, region: found.region, now, command: settings.command });
  },
});
