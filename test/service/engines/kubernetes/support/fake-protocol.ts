import type { IncomingMessage, ServerResponse } from "node:http";

export type Verb = "list" | "watch" | "get" | "create" | "patch" | "delete";

/** A request as Kubernetes' own access control sees it. */
export type KubeRequest = {
  readonly verb: Verb;
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string | undefined;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly contentType: string;
};

const verbs: Readonly<Record<string, Verb>> = { POST: "create", PATCH: "patch", DELETE: "delete" };

/** Undefined if no API has this path. */
export async function kubeRequestOf(request: IncomingMessage): Promise<KubeRequest | undefined> {
  const url = new URL(request.url ?? "", "http://fake");
  const ofCluster = /^\/api\/v1\/namespaces(?:\/([^/]+))?$/u.exec(url.pathname);
  const path = /^\/(?:api|apis\/([^/]+))\/v\d\w*\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+)(\/log)?)?$/u.exec(
    url.pathname,
  );
  if (!path && !ofCluster) return undefined;
  const [, group = "", namespace = "", plural = "namespaces", name = ofCluster?.[1], subresource = ""] = path ?? [];
  const resource = plural + subresource;
  const { searchParams: query } = url;
  const reads: Verb = name !== undefined ? "get" : query.get("watch") === "true" ? "watch" : "list";
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const contentType = request.headers["content-type"] ?? "";
  return { verb: verbs[request.method ?? ""] ?? reads, resource, group, namespace, name, query, body, contentType };
}

/** `list pods`, as in a Role, also `list pods in shop`; `watch` is every watch, and `in shop` everything of a namespace. */
export function isRequestTo({ verb, resource, namespace }: KubeRequest, what: string): boolean {
  const [asked = "", where = namespace] = what.split(/ ?\bin /u);
  return where === namespace && ["", verb, `${verb} ${resource}`].includes(asked);
}

type Failure =
  | { readonly status: number; readonly plain: string }
  | { readonly status: number; readonly reason: string; readonly message: string };

export function failure(response: ServerResponse, what: Failure): void {
  if ("plain" in what) {
    response.writeHead(what.status, { "content-type": "text/plain; charset=utf-8" }).end(what.plain);
    return;
  }
  send(response, what.status, statusOf(what));
}

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export function statusOf({ status, reason, message }: Exclude<Failure, { readonly plain: string }>): object {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code: status };
}

export function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Of a selector with `=`, `==`, `!=` and plain keys; undefined for any other. */
export function selectorOf(text: string | null): ((labels: Readonly<Record<string, string>>) => boolean) | undefined {
  const parts = (text ?? "").split(",").filter((part) => part !== "");
  const tests = parts.map((part) => {
    const [, key = "", operator, value = ""] = /^([\w./-]+)(?:(==?|!=)([\w.-]*))?$/u.exec(part) ?? [];
    if (key === "") return undefined;
    return (labels: Readonly<Record<string, string>>): boolean => {
      if (operator === undefined) return key in labels;
      return operator === "!=" ? labels[key] !== value : labels[key] === value;
    };
  });
  if (tests.includes(undefined)) return undefined;
  return (labels) => tests.every((test) => test?.(labels));
}
