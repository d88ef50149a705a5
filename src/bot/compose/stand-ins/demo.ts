import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { AccountApi } from "../../../api/client.ts";
import type { Call } from "../../../api/operations.ts";
import type { Settings } from "../../commands/command.ts";
import { Problem } from "../../../api/problem.ts";

type Regions = Pick<Settings, "region" | "jobsRegion">;

/** Demo workloads: a service that serves, one that logs, and a job that ends. */
function demoCalls({ region, jobsRegion }: Regions): readonly Call<"createService" | "createJob">[] {
  const limits = { memory: "256" };
  return [
    {
      op: "createService",
      path: { region, service_name: "web" },
      query: undefined,
      body: {
        target_instance_size: 2,
        containers: [{ image: "gantry/hello-web", ports: [{ port: 8080, protocol: "TCP" }], resources: { limits } }],
        port_mappings: [{ container_port: 8080, protocol: "tcp" }],
      },
    },
    {
      op: "createService",
      path: { region, service_name: "worker" },
      query: undefined,
      body: { target_instance_size: 1, containers: [{ image: "gantry/worker", resources: { limits } }] },
    },
    {
      op: "createJob",
      path: { region: jobsRegion, job_name: "nightly-report" },
      query: undefined,
      body: { containers: [{ image: "gantry/batch", command: ["12", "--delay", "500"] }] },
    },
  ];
}

/**
 * Creates the demo workloads through the API, once per data folder, so that a deleted one stays deleted. Failures are
 * only logged.
 */
export async function createDemo(
  api: AccountApi,
  { dataDir, settings, log }: { readonly dataDir: string; readonly settings: Regions; readonly log: Logger },
): Promise<void> {
  const marker = join(dataDir, "demo-created");
  if (existsSync(marker)) return;
  for (const call of demoCalls(settings)) {
    try {
      await api.send(call);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.warn({ err: error, op: call.op }, "couldn't create a demo workload");
    }
  }
  writeFileSync(marker, `${new Date().toISOString()}\n`);
}
