import { afterEach, describe, expect, test } from "vitest";
import { KubeError } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { deployment } from "../support/sent-objects.ts";
import { scriptedCluster, writesOn } from "./support/scripted-cluster.ts";

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const request = {
  user: { username: "dana" },
  path: { region: "us", service_name: "web" },
  query: undefined,
  body: undefined,
  signal: new AbortController().signal,
};
const running = (replicas: number) => deployment("web", { spec: { replicas }, metadata: { uid: "same" } });
/** What an API server answers to a JSON patch whose test failed. */
const testFailed = new KubeError(422, "the server rejected our request due to an error in our request", {
  reason: "Invalid",
});

/** A service with two instances whose patches fail; `between` is what others do before each of them. */
async function refusing(
  error: KubeError,
  between: (cluster: ReturnType<typeof scriptedCluster>, nth: number) => void = () => {},
) {
  let patches = 0;
  const cluster = scriptedCluster(({ verb }, go) => {
    if (verb !== "patch") return go();
    patches += 1;
    between(cluster, patches);
    throw error;
  });
  cluster.others.put("Deployment", running(2));
  const writes = writesOn(cluster.api);
  open.push(writes);
  return { writes, cluster, patches: () => patches };
}

describe("a change that the cluster refuses with a 422", () => {
  test("is told as what it is, once", async () => {
    const quota = new KubeError(422, 'Deployment.apps "web" is invalid: spec.replicas: at most 0 on a Friday', {
      reason: "Invalid",
    });
    const { writes, patches } = await refusing(quota);

    await expect(writes.stopService(request)).rejects.toMatchObject({
      status: 400,
      message:
        'Couldn\'t stop the service web: Kubernetes refused it: Deployment.apps "web" is invalid: spec.replicas: at most 0 ' +
        "on a Friday. Nothing was changed. Correct the request.",
    });
    expect(patches()).toBe(1);
  });

  test("is told as what it is, also while its status changes all the time", async () => {
    const invalid = new KubeError(422, 'Deployment.apps "web" is invalid: no', { reason: "Invalid" });
    const { writes, patches } = await refusing(invalid, (cluster) => {
      cluster.others.put("Deployment", running(2));
    });

    await expect(writes.stopService(request)).rejects.toMatchObject({ status: 400 });

    expect(patches()).toBe(5);
  });

  test("because somebody else keeps scaling it is a conflict", async () => {
    const { writes, patches } = await refusing(testFailed, (cluster, nth) => {
      cluster.others.put("Deployment", running(2 + nth));
    });

    await expect(writes.stopService(request)).rejects.toMatchObject({
      status: 409,
      message:
        "Couldn't stop the service web: somebody else changed it at the same time. Nothing was changed. Try again.",
    });
    expect(patches()).toBe(5);
  });
});
