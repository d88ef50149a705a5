import { describe, expect, test } from "vitest";
import { refusingIncapable, type Engine, type EngineRequest } from "../../../../src/service/engine.ts";
import {
  type ClusterConfig,
  kubernetesLimits,
  TITLE,
} from "../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { config } from "./support/known-objects.ts";

/** The sentence for a request, from an engine that would start everything. */
async function answerTo(op: "createService" | "createJob", body: object, changed: Partial<ClusterConfig> = {}) {
  const started = { createService: async () => "started", createJob: async () => "started" };
  const engine = refusingIncapable(started as unknown as Engine, {
    // only these two are called
    title: TITLE,
    cannotIn: () => kubernetesLimits({ ...config, ...changed }),
  });
  const request = { user: { username: "dana" }, path: { region: "us" }, body } as unknown as EngineRequest<typeof op>; // enough for the check
  const answer = engine[op](request as never); // the request of this operation
  return await answer.catch((error: Error) => error.message);
}

const containers = [{ image: "web" }];

describe("what a region of Kubernetes can't honour is refused before anything is started", () => {
  test("domains where nothing routes them", async () => {
    const body = { containers, binding_domain_name: ["shop.example.com"] };

    expect(await answerTo("createService", body)).toBe(
      "the Kubernetes engine can't honour binding_domain_name (custom domains) in us: nothing routes domains here: set domains in SERVICE_CLUSTERS. Nothing was changed.",
    );
    expect(await answerTo("createService", body, { domains: { by: "ingress" } })).toBe("started");
  });

  test("volumes of jobs and the time zone where no files of the nodes may be used", async () => {
    const volumes = { containers, volumes: [{ name: "out", type: "host" }] };

    expect(await answerTo("createJob", volumes)).toMatch(/can't honour volumes \(volumes of jobs\) in us/u);
    expect(await answerTo("createJob", { containers, sync_timezone: true })).toMatch(/can't honour sync_timezone/u);
    expect(await answerTo("createService", { containers, sync_timezone: true })).toMatch(/can't honour sync_timezone/u);
    expect(await answerTo("createJob", { ...volumes, sync_timezone: true }, { hostPath: "/srv/gantry" })).toBe(
      "started",
    );
  });

  test("a region that can do everything only names what is different", () => {
    const whole = kubernetesLimits({
      domains: { by: "gateway", gateway: "edge" },
      ports: { by: "load-balancer" },
      disks: { storageClass: "fast", size: "1Gi" },
      hostPath: "/srv/gantry",
      jobs: true,
    });

    expect(whole.map(({ feature, effect }) => [feature, effect])).toEqual([["sharedDisks", "partly"]]);
  });
});
