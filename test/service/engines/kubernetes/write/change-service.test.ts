import { describe, expect, test } from "vitest";
import { KubeError } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { deployment } from "../support/sent-objects.ts";
import { asked, scriptedCluster, writesOn } from "./support/scripted-cluster.ts";

const running = (replicas: number) => deployment("web", { spec: { replicas }, metadata: { uid: "same" } });
/** What an API server answers to a JSON patch whose test failed. */
const testFailed = "the server rejected our request due to an error in our request";
const invalid = 'Deployment.apps "web" is invalid: spec.replicas: at most 0 on a Friday';
const refused = {
  status: 400,
  message: `Couldn't stop the service web: Kubernetes refused it: ${invalid}. Nothing was changed. Correct the request.`,
};
const overtaken = {
  status: 409,
  message: "Couldn't stop the service web: somebody else changed it at the same time. Nothing was changed. Try again.",
};

describe("a change that the cluster refuses with a 422", () => {
  test.each([
    ["is told as what it is, once", { text: invalid, others: undefined, told: refused, patches: 1 }],
    [
      "is told as what it is, also while its status changes all the time",
      { text: invalid, others: () => running(2), told: refused, patches: 5 },
    ],
    [
      "because somebody else keeps scaling it is a conflict",
      { text: testFailed, others: (nth: number) => running(2 + nth), told: overtaken, patches: 5 },
    ],
  ])("%s", async (_, { text, others, told, patches }) => {
    let sent = 0;
    const cluster = scriptedCluster(({ verb }, go) => {
      if (verb !== "patch") return go();
      sent += 1;
      if (others) cluster.others.put("Deployment", others(sent));
      throw new KubeError(422, text, { reason: "Invalid" });
    });
    cluster.others.put("Deployment", running(2));

    await expect(writesOn(cluster.api).stopService(asked("web"))).rejects.toMatchObject(told);

    expect(sent).toBe(patches);
  });
});
