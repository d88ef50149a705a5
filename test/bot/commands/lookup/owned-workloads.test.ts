import { describe, expect, test } from "vitest";
import { defaultPolicy, readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { adoptedFetch, longName } from "../../../support/adopted-services.ts";
import { othersApprove } from "../../../support/policies.ts";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";
import { answerTo, proposalTo, scripted, type Scripted } from "../support/script.ts";
import { underPolicy } from "../support/under-policy.ts";

const byDefault = underPolicy(defaultPolicy, {}, { apiFetch: adoptedFetch });
const voted = underPolicy(
  readPolicy(othersApprove, "policy.yaml"),
  {},
  { apiFetch: adoptedFetch, couldApprove: ["Alex Kim"] },
);
const told = async (words: string, script: Scripted): Promise<string> => drawn(await answerTo(words, script));

const ofHelm = "service shop: it belongs to Helm release shop.";
const sizer = "the autoscaler queue-hpa sets its size. Change the autoscaler's limits, or remove it.";

describe("what the workload API says that it would refuse", () => {
  test.each([
    ["delete shop", `Gantry may not delete ${ofHelm} Delete it there.`],
    ["memory shop 512", `Gantry may not change the memory of ${ofHelm} Change it there.`],
    ["domains shop add a.example.com", `Gantry may not change the domains of ${ofHelm} Change them there.`],
    ["scale queue 4", `Service queue can't be scaled: ${sizer}`],
    ["stop queue", `Service queue can't be stopped: ${sizer}`],
    ["delete job/tidy", "Gantry may not delete job tidy: it belongs to CronJob tidy. Delete it there."],
  ])("is impossible, with its reason, and needs nobody's approval: %s", async (words, why) => {
    expect(await proposalTo(`${words} --reason tidy-up`, voted)).toMatchObject({ kind: "impossible", why });
  });

  test("is possible where it changes nothing, or is another part", async () => {
    expect(await proposalTo("memory shop 256", voted)).toMatchObject({ kind: "proposed", change: { diff: [] } });
    expect(await proposalTo("scale shop 3", voted)).toMatchObject({ kind: "proposed" });
    expect(await proposalTo("restart queue", voted)).toMatchObject({ kind: "proposed" });
  });

  test("is a no of can-i, whatever policy says", async () => {
    expect(await told("can-i delete shop", voted)).toBe(
      "🚫 No. Gantry may not delete service shop: it belongs to Helm release shop. Delete it there.",
    );
    expect(await told("can-i restart shop", voted)).toContain("with 1 approval");
  });

  test("has no button on the workload's card, which names the owner or what sets the size", async () => {
    expect(await told("show service/shop", byDefault)).toMatchInlineSnapshot(`
      "🟢 shop · running
      service · beijing1 · shop:1
      1 of 1 instance · 256 MiB each
      Managed by Helm release shop
      Not reported by the workload API: command, environment, ports, volumes
      [Logs] [Restart] [Scale] [… Refresh | Tell me here | Create like this | Stop]"
    `);
    expect(await told("show service/queue", byDefault)).toMatchInlineSnapshot(`
      "🟢 queue · running
      service · beijing1 · queue:1
      2 of 2 instances
      Size set by autoscaler queue-hpa
      Not reported by the workload API: memory, command, environment, ports, volumes, domains
      [Logs] [Restart] [Refresh] [… Tell me here | Create like this | Change memory | Change domains | Delete]"
    `);
    expect(await told("show job/tidy", byDefault)).toMatchInlineSnapshot(`
      "🟡 tidy · status unknown
      job · us
      Managed by CronJob tidy
      [Logs] [Create like this] [Tell me here] [… Refresh]"
    `);
    const set = service("set", { kubernetes_kind: "StatefulSet", managed_by: "Helm release shop" });
    expect(await told("show service/set", scripted({ services: [set] }))).toContain(
      "\nStatefulSet · managed by Helm release shop\n",
    );
    const shared = await told("show service/shop --share", byDefault);
    expect(shared).toContain("[Restart]");
    expect(shared).not.toContain("Delete");
  });
});

describe("a service that Gantry found in a cluster", () => {
  test("has several containers, a variable without value, no ports and no memory, and its card says no more than is known", async () => {
    expect(await told("show service/redis.cache", byDefault)).toMatchInlineSnapshot(`
      "🟢 redis.cache · running
      service · beijing1 · 2 containers
      2 of 2 instances
      Container redis  redis:7 · REDIS_PASSWORD
      Container exporter  exporter:1 · 64 MiB
      Not reported by the workload API: command, ports, volumes, domains
      [Logs] [Restart] [Scale] [… Refresh | Tell me here | Create like this | Stop | Delete]"
    `);
  });

  test("is listed; a name that doesn't fit is cut in the middle, and show has all of it", async () => {
    const list = await told("list services", byDefault);

    expect(list).toContain("redis.cache");
    expect(list).toMatch(/checkout-very-[a-z-]*…[a-z-]*long-eu1-v2\.4/u);
    expect(await told(`show ${longName}`, byDefault)).toContain(longName);
  });
});

test("a name that is something else is told as what it is, whichever verb asks", async () => {
  const instead = "canary is an Argo Rollout, which Gantry doesn't run. Use kubectl argo rollouts.";
  const apiFetch = async (): Promise<Response> =>
    Response.json({ message: "no service is named canary", instead }, { status: 404 });

  for (const asked of [
    answerTo("show canary", { apiFetch }),
    answerTo("why canary", { apiFetch }),
    proposalTo("restart canary", { apiFetch }),
  ]) {
    await expect(asked).rejects.toThrow(instead);
  }
});
