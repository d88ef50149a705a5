import { expect, test } from "vitest";
import { Refusal } from "../../../../../src/service/engine.ts";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { refusalOf } from "../../../../../src/service/engines/kubernetes/cluster/refusal-of.ts";

type Attempt = Parameters<typeof refusalOf>[1];
const creating: Attempt = { doing: "create the service web", wrote: true };
const reading: Attempt = { doing: "read the log", wrote: false };

const NO_RIGHT =
  'deployments.apps is forbidden: User "gantry" cannot create resource "deployments" in API group "apps" in the namespace "team"';
const NO_RIGHT_TO_LOGS =
  'pods "web-1" is forbidden: User "gantry" cannot get resource "pods/log" in API group "" in the namespace "team"';
const POD_SECURITY =
  'pods "web" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "web" must set securityContext.allowPrivilegeEscalation=false)';
const QUOTA =
  'persistentvolumeclaims "data" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0';
const WEBHOOK = 'admission webhook "rules.example.com" denied the request: nothing is stopped on a Friday.';
const INVALID =
  'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0';
const RULE = "This is a rule of the cluster: change the request, or ask its admins.";

const lost = new KubeUnreachable("https://10.0.0.1:6443 didn't answer in 10 s");
const refused = new KubeUnreachable("https://10.0.0.1:6443 can't be reached", {
  cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
});
const UNANSWERED = "the cluster didn't answer (https://10.0.0.1:6443 didn't answer in 10 s)";

/** Each sentence begins with "Couldn't", and what was attempted. */
const errors: readonly (readonly [what: string, error: Error, status: number, sentence: string, attempt?: Attempt])[] =
  [
    [
      "a missing right names verb, resource and namespace, and how to add it",
      new KubeError(403, NO_RIGHT, { reason: "Forbidden" }),
      403,
      "Gantry's account in the cluster may not create deployments in the namespace team. Nothing was changed. Add the verb create for deployments (API group apps) to Gantry's Role there.",
    ],
    [
      "a missing right just after an outage isn't believed yet",
      new KubeError(403, NO_RIGHT, { reason: "Forbidden", isEarly: true }),
      403,
      "the cluster's API server has just come back and doesn't know Gantry's rights yet. Nothing was changed. Try again in a minute.",
    ],
    [
      "a missing right on a subresource of the core group",
      new KubeError(403, NO_RIGHT_TO_LOGS),
      403,
      "Gantry's account in the cluster may not get pods/log in the namespace team. Nothing was changed. Add the verb get for pods/log to Gantry's Role there.",
      reading,
    ],
    [
      "a refusal of PodSecurity is told as it is, and is no missing right",
      new KubeError(403, POD_SECURITY, { reason: "Forbidden" }),
      403,
      `Kubernetes refused it: ${POD_SECURITY}. Nothing was changed. ${RULE}`,
    ],
    [
      "a full quota keeps its numbers",
      new KubeError(403, QUOTA),
      403,
      `Kubernetes refused it: ${QUOTA}. Nothing was changed. Use less, or ask the cluster's admins for a larger quota.`,
    ],
    [
      "a rule of a webhook keeps the webhook's text",
      new KubeError(403, WEBHOOK, { reason: "Denied" }),
      403,
      `Kubernetes refused it: ${WEBHOOK} Nothing was changed. ${RULE}`,
    ],
    [
      "an invalid object keeps Kubernetes' text",
      new KubeError(422, INVALID, { reason: "Invalid" }),
      400,
      `Kubernetes refused it: ${INVALID}. Nothing was changed. Correct the request.`,
    ],
    [
      "a taken name",
      new KubeError(409, 'deployments.apps "web" already exists', { reason: "AlreadyExists" }),
      409,
      'deployments.apps "web" already exists. Nothing was changed. Choose another name.',
    ],
    [
      "a change at the same time",
      new KubeError(409, "the object has been modified", { reason: "Conflict" }),
      409,
      "somebody else changed it at the same time. Nothing was changed. Try again.",
    ],
    [
      "a namespace that isn't there is the operator's matter",
      new KubeError(404, 'namespaces "team" not found'),
      503,
      "the cluster has no namespace team. Nothing was changed. Create it with `kubectl create namespace team`, or change SERVICE_CLUSTERS.",
    ],
    [
      "too many requests say when to try again",
      new KubeError(429, "too many requests", { retryAfterSeconds: 7 }),
      429,
      "the cluster has too many requests. Nothing was changed. Try again in 7 s.",
    ],
    [
      "a lost answer to a write may have happened",
      lost,
      503,
      `${UNANSWERED}. It may have happened: check before you try again.`,
    ],
    ["a lost answer to a read", lost, 503, `${UNANSWERED}. Nothing was changed. Try again.`, reading],
    [
      "a refused connection changed nothing",
      refused,
      503,
      "the cluster didn't answer (https://10.0.0.1:6443 can't be reached). Nothing was changed. Try again.",
    ],
    [
      "credentials that aren't accepted",
      new KubeError(401, "Unauthorized"),
      503,
      "the cluster doesn't accept Gantry's credentials. Nothing was changed. Check the kubeconfig of this region.",
    ],
    [
      "an error inside of the API server",
      new KubeError(500, "etcdserver: request timed out"),
      503,
      "Kubernetes answered 500: etcdserver: request timed out. It may have happened: check before you try again.",
    ],
    [
      "what an earlier call has left behind is said instead",
      new KubeError(500, "down"),
      503,
      "Kubernetes answered 500: down. The Deployment web was left behind: delete it.",
      { ...creating, left: "The Deployment web was left behind: delete it." },
    ],
  ];

const cases = errors.map(([what, ...rest]) => [what, rest] as const);

test.each(cases)("%s", (_, [error, status, sentence, attempt = creating]) => {
  const refusal = refusalOf(error, attempt);

  expect([refusal.status, refusal.message]).toEqual([status, `Couldn't ${attempt.doing}: ${sentence}`]);
});

test("an object that is gone is 404, and the seconds to wait are sent", () => {
  expect(refusalOf(new KubeError(404, 'deployments.apps "web" not found'), creating).status).toBe(404);
  expect(refusalOf(new KubeError(429, "busy", { retryAfterSeconds: 7 }), creating).retryAfterSeconds).toBe(7);
});

test("a refusal stays as it is, and a bug stays a bug", () => {
  const refusal = new Refusal(409, "busy");
  const bug = new TypeError("x is undefined");

  expect(refusalOf(refusal, creating)).toBe(refusal);
  expect(() => refusalOf(bug, creating)).toThrow(bug);
});
