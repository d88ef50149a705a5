import type { TestCluster } from "../../../support/cluster.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const name = "httproutes.gateway.networking.k8s.io";

/** HTTPRoutes are an extension. Where a cluster lacks them, it gets a definition that stores any, until the end. */
export async function withGatewayApi({ call, must }: TestCluster): Promise<AsyncDisposable> {
  const there = await call({ method: "GET", path: `${definitions}/${name}` });
  if (there.status === 200) return { [Symbol.asyncDispose]: async () => {} };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await must({
    method: "POST",
    path: definitions,
    body: {
      // Names that end in k8s.io need it: https://github.com/kubernetes/enhancements/pull/1111
      metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved, for tests" } },
      spec: {
        group: "gateway.networking.k8s.io",
        scope: "Namespaced",
        names: { plural: "httproutes", singular: "httproute", kind: "HTTPRoute", listKind: "HTTPRouteList" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      await call({ method: "DELETE", path: `${definitions}/${name}` });
    },
  };
}
