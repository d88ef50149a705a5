import { z } from "zod";
import { jobSnapshot } from "../changes/snapshot.ts";
import { findWorkload } from "./lookup.ts";
import { serviceChange } from "./service-change.ts";
import { Target } from "./target.ts";
import { writeVerb } from "./verb.ts";

export const remove = writeVerb({
  name: "delete",
  summary: "Delete a service or a job for good",
  usage: "delete NAME",
  example: "delete job/nightly-report",
  flags: {},
  deeds: [
    { op: "deleteService", risk: "destructive" },
    { op: "deleteJob", risk: "destructive" },
  ],
  words: 1,
  args: z.object({ name: Target }),
  read: ({ positionals: [name] }) => ({ name }),
  async propose({ name }, given) {
    const found = await findWorkload(name, given);
    if (found.kind === "service") {
      const diff = [`the service ${found.service.name}, with all its instances`];
      return serviceChange(found.service, given, { op: "deleteService", body: undefined, diff });
    }
    const { region, job } = found;
    const before = jobSnapshot(job);
    return {
      call: { op: "deleteJob", path: { region, job_name: job.metadata.name }, query: undefined, body: undefined },
      workload: { kind: "job", region, name: job.metadata.name, uid: before.uid },
      before,
      diff: [`the job ${job.metadata.name}, with its instances`],
    };
  },
});
