import { expect, test } from "vitest";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { createOnce } from "../../../../../src/service/engines/kubernetes/write/target.ts";
import { machineClock } from "../../../../../src/platform/clock.ts";

const lost = new KubeUnreachable("socket hang up");
const refused = new KubeUnreachable("refused", {
  cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
});
const quota = new KubeError(403, "exceeded quota", { reason: "Forbidden" });
const taken = new KubeError(409, "already exists", { reason: "AlreadyExists" });

/** A create whose attempts fail in turn with these errors; the object that is then there is somebody else's. */
function creation(errors: readonly Error[]) {
  const left = [...errors];
  const api = {
    create: () => Promise.reject(left.shift() ?? new Error("it was sent too often")),
    get: () => Promise.resolve({}),
  };
  const place = { kind: "Deployment", namespace: "a" } as const;
  // The two calls that it makes, with what they answer here.
  const given = api as unknown as Parameters<typeof createOnce>[0]; // only these two are called
  return createOnce(given, { place, name: "web", body: {}, isOurs: () => false, clock: machineClock });
}

test.each([
  ["whose answer was lost, and then can't be sent, may have happened", [lost, refused, taken], taken],
  ["whose answer was lost, and then meets a quota that it may fill itself, may have happened", [lost, quota], lost],
  ["that can't be sent did not happen", [refused], refused],
  ["that is refused did not happen", [quota], quota],
])("a create %s", async (_, errors, expected) => {
  await expect(creation(errors)).rejects.toBe(expected);
});
