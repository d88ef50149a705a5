import type { KubeError } from "./kube-api.ts";

/** A right that the Role is missing. */
export type MissingRight = {
  readonly verb: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Undefined for a right on the whole cluster. */
  readonly namespace: string | undefined;
};

/** https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go */
const FORBIDDEN = /cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/u;

/** The right that a 403 says is missing; undefined for another 403, such as a full quota. */
export function missingRightOf({ status, message }: Pick<KubeError, "status" | "message">): MissingRight | undefined {
  const [, verb, resource, group, namespace] = (status === 403 ? FORBIDDEN.exec(message) : undefined) ?? [];
  if (verb === undefined || resource === undefined || group === undefined) return undefined;
  return { verb, resource, group, namespace };
}
