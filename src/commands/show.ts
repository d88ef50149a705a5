import { z } from "zod";
import { jobCard } from "../views/job-card.ts";
import { serviceCard } from "../views/service-card.ts";
import { findWorkload, readAbout } from "./lookup.ts";
import { checkFound } from "./may-see.ts";
import { Target } from "./target.ts";
import { readVerb } from "./verb.ts";

const ops = { service: "getService", job: "getJob" } as const;

export const show = readVerb({
  name: "show",
  summary: "Show one service or job",
  usage: "show NAME",
  example: "show web",
  flags: {},
  deeds: [
    { op: "getService", risk: undefined },
    { op: "getJob", risk: undefined },
  ],
  about: ({ name }, region) => readAbout(ops, name, region),
  words: 1,
  args: z.object({ name: Target }),
  read: ({ positionals: [name] }) => ({ name }),
  async answer({ name }, given) {
    const found = await findWorkload(name, given);
    if (name.kind === undefined) {
      const target = { kind: found.kind, name: name.name };
      await checkFound(readAbout(ops, target, found.region), given);
    }
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
