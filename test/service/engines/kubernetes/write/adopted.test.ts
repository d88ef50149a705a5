import { describe, expect, test } from "vitest";
import type { FoundService } from "../../../../../src/service/engines/kubernetes/read/found-service.ts";
import { findService } from "../../../../../src/service/engines/kubernetes/read/find-services.ts";
import { refuseAdopted, refuseSetSize } from "../../../../../src/service/engines/kubernetes/write/adopted.ts";
import { config, regionWith } from "../support/known-objects.ts";
import { deployment, object } from "../support/sent-objects.ts";

function adopted(changed: Parameters<typeof deployment>[1] = {}, others: Parameters<typeof regionWith>[0] = []) {
  const region = regionWith([deployment("shop", changed), ...others]);
  const now = new Date("2026-11-22T12:30:00Z");
  const found = findService(region, { namespaces: ["team"], username: "dana", now, name: "shop" });
  if (!found) throw new Error("shop isn't there");
  return found;
}

function refusal(found: FoundService, change: "delete" | "memory" | "domains", allow: ("delete" | "memory")[] = []) {
  try {
    refuseAdopted(found, change, { adopt: { ...config.adopt, allow } });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a workload that Gantry didn't create", () => {
  const helm = adopted({
    metadata: {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "team" },
    },
  });

  test("isn't deleted or given other memory or domains, and the sentence names its owner", () => {
    const refusals = (["delete", "memory", "domains"] as const).map((change) => refusal(helm, change));

    expect(refusals).toMatchObject([{ status: 409 }, { status: 409 }, { status: 409 }]);
    expect(refusals.map((each) => (each as Error).message)).toMatchInlineSnapshot(`
      [
        "Gantry may not delete service shop: it belongs to Helm release shop. Nothing was changed. Delete it there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not change the memory of service shop: it belongs to Helm release shop. Nothing was changed. Change it there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not change the domains of service shop: it belongs to Helm release shop. Nothing was changed. Change them there.",
      ]
    `); // refusals are errors
  });

  test("of nobody known says so", () => {
    expect((refusal(adopted(), "delete") as Error).message).toMatchInlineSnapshot(
      `"Gantry may not delete service shop: somebody else created it. Nothing was changed. Delete it where it was created, or allow it with adopt.allow in SERVICE_CLUSTERS."`,
    ); // a refusal is an error
  });

  test("is changed when that is switched on, except for its domains", () => {
    expect(refusal(helm, "delete", ["delete"])).toBeUndefined();
    expect(refusal(helm, "memory", ["memory"])).toBeUndefined();
    expect(refusal(helm, "memory", ["delete"])).toBeDefined();
    expect(refusal(helm, "domains", ["delete", "memory"])).toBeDefined();
  });

  test("with an autoscaler isn't scaled, and the sentence names the autoscaler", () => {
    const target = { scaleTargetRef: { kind: "Deployment", name: "shop" } };
    const scaled = adopted({}, [object("HorizontalPodAutoscaler", "shop-cpu", { spec: target })]);

    expect(() => refuseSetSize(scaled, "scaled")).toThrow(
      "service shop can't be scaled: the autoscaler shop-cpu sets its size. Nothing was changed. Change the autoscaler's limits, or remove it.",
    );
    expect(() => refuseSetSize(adopted(), "scaled")).not.toThrow();
  });
});
