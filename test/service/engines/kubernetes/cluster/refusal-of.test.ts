import { describe, expect, test } from "vitest";
import { Refusal } from "../../../../../src/service/engine.ts";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { refusalOf } from "../../../../../src/service/engines/kubernetes/cluster/refusal-of.ts";

const creating = { doing: "create the service web", wrote: true };

function told(error: unknown, attempt: Parameters<typeof refusalOf>[1] = creating) {
  const { status, message, retryAfterSeconds } = refusalOf(error, attempt);
  return { status, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

describe("an error of Kubernetes as the API's own", () => {
  test("a missing right names verb, resource and namespace, and how to add it", () => {
    const text =
      'deployments.apps is forbidden: User "gantry" cannot create resource "deployments" in API group "apps" in the namespace "team"';

    expect(told(new KubeError(403, text, { reason: "Forbidden" }))).toMatchInlineSnapshot(`
      {
        "message": "Couldn't create the service web: Gantry's account in the cluster may not create deployments in the namespace team. Nothing was changed. Add the verb create for deployments (API group apps) to Gantry's Role there.",
        "status": 403,
      }
    `);
  });

  test("a refusal of PodSecurity is told as it is, and is no missing right", () => {
    const text =
      'pods "web" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "web" must set securityContext.allowPrivilegeEscalation=false)';

    expect(told(new KubeError(403, text, { reason: "Forbidden" }))).toEqual({
      status: 403,
      message: `Couldn't create the service web: Kubernetes refused it: ${text}. Nothing was changed. This is a rule of the cluster: change the request, or ask its admins.`,
    });
  });

  test("a missing right just after an outage isn't believed yet", () => {
    const text =
      'deployments.apps is forbidden: User "gantry" cannot create resource "deployments" in API group "apps" in the namespace "team"';

    expect(told(new KubeError(403, text, { reason: "Forbidden", isEarly: true }))).toEqual({
      status: 403,
      message:
        "Couldn't create the service web: the cluster's API server has just come back and doesn't know Gantry's rights yet. " +
        "Nothing was changed. Try again in a minute.",
    });
  });

  test("a missing right on a subresource of the core group", () => {
    const text =
      'pods "web-1" is forbidden: User "gantry" cannot get resource "pods/log" in API group "" in the namespace "team"';

    expect(told(new KubeError(403, text), { doing: "read the log", wrote: false }).message).toBe(
      "Couldn't read the log: Gantry's account in the cluster may not get pods/log in the namespace team. Nothing was changed. Add the verb get for pods/log to Gantry's Role there.",
    );
  });

  test("a full quota keeps its numbers", () => {
    const text =
      'persistentvolumeclaims "data" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0';

    expect(told(new KubeError(403, text))).toEqual({
      status: 403,
      message: `Couldn't create the service web: Kubernetes refused it: ${text}. Nothing was changed. Use less, or ask the cluster's admins for a larger quota.`,
    });
  });

  test("a rule of a webhook keeps the webhook's text", () => {
    const text = 'admission webhook "rules.example.com" denied the request: nothing is stopped on a Friday.';

    expect(told(new KubeError(403, text, { reason: "Denied" }))).toEqual({
      status: 403,
      message:
        'Couldn\'t create the service web: Kubernetes refused it: admission webhook "rules.example.com" denied the request: ' +
        "nothing is stopped on a Friday. Nothing was changed. This is a rule of the cluster: change the request, or ask its admins.",
    });
  });

  test("an invalid object is 400 with Kubernetes' text", () => {
    const text =
      'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0';

    expect(told(new KubeError(422, text, { reason: "Invalid" }))).toEqual({
      status: 400,
      message: `Couldn't create the service web: Kubernetes refused it: ${text}. Nothing was changed. Correct the request.`,
    });
  });

  test("a taken name, and a change at the same time, are 409", () => {
    const taken = new KubeError(409, 'deployments.apps "web" already exists', { reason: "AlreadyExists" });
    const conflict = new KubeError(409, "the object has been modified", { reason: "Conflict" });

    expect([told(taken), told(conflict)]).toEqual([
      {
        status: 409,
        message:
          'Couldn\'t create the service web: deployments.apps "web" already exists. Nothing was changed. Choose another name.',
      },
      {
        status: 409,
        message:
          "Couldn't create the service web: somebody else changed it at the same time. Nothing was changed. Try again.",
      },
    ]);
  });

  test("an object that is gone is 404; a namespace that isn't there is the operator's matter", () => {
    expect(told(new KubeError(404, 'deployments.apps "web" not found')).status).toBe(404);
    expect(told(new KubeError(404, 'namespaces "team" not found'))).toEqual({
      status: 503,
      message:
        "Couldn't create the service web: the cluster has no namespace team. Nothing was changed. Create it with `kubectl create namespace team`, or change SERVICE_CLUSTERS.",
    });
  });

  test("too many requests are 429 with the seconds to wait", () => {
    expect(told(new KubeError(429, "too many requests", { retryAfterSeconds: 7 }))).toEqual({
      status: 429,
      message:
        "Couldn't create the service web: the cluster has too many requests. Nothing was changed. Try again in 7 s.",
      retryAfterSeconds: 7,
    });
  });

  test("a lost answer to a write says that it may have happened; a refused connection changed nothing", () => {
    const lost = new KubeUnreachable("https://10.0.0.1:6443 didn't answer in 10 s");
    const refused = new KubeUnreachable("https://10.0.0.1:6443 can't be reached", {
      cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
    });

    expect([told(lost), told(lost, { ...creating, wrote: false }), told(refused)]).toEqual([
      {
        status: 503,
        message:
          "Couldn't create the service web: the cluster didn't answer (https://10.0.0.1:6443 didn't answer in 10 s). It may have happened: check before you try again.",
      },
      {
        status: 503,
        message:
          "Couldn't create the service web: the cluster didn't answer (https://10.0.0.1:6443 didn't answer in 10 s). Nothing was changed. Try again.",
      },
      {
        status: 503,
        message:
          "Couldn't create the service web: the cluster didn't answer (https://10.0.0.1:6443 can't be reached). Nothing was changed. Try again.",
      },
    ]);
  });

  test("credentials that aren't accepted, and an error inside of the API server, are 503", () => {
    expect(told(new KubeError(401, "Unauthorized")).message).toBe(
      "Couldn't create the service web: the cluster doesn't accept Gantry's credentials. Nothing was changed. Check the kubeconfig of this region.",
    );
    expect(told(new KubeError(500, "etcdserver: request timed out")).message).toBe(
      "Couldn't create the service web: Kubernetes answered 500: etcdserver: request timed out. It may have happened: check before you try again.",
    );
  });

  test("what an earlier call has left behind is said instead", () => {
    const left = "The Deployment web was left behind: delete it.";

    expect(told(new KubeError(500, "down"), { ...creating, left }).message).toContain(`down. ${left}`);
  });

  test("a refusal stays as it is, and a bug stays a bug", () => {
    const refusal = new Refusal(409, "busy");
    const bug = new TypeError("x is undefined");

    expect(refusalOf(refusal, creating)).toBe(refusal);
    expect(() => refusalOf(bug, creating)).toThrow(bug);
  });
});
