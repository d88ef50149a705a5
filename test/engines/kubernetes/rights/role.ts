import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

const Rule = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  verbs: z.array(z.string()),
});
const Role = z.object({ kind: z.literal("Role"), rules: z.array(Rule) });

export type Rule = z.output<typeof Rule>;
/** One verb on one resource. */
export type Right = { readonly group: string; readonly resource: string; readonly verb: string };

/** The resources whose rules the Role marks as optional. */
export function optionalResources(path: string): readonly string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line) => /resources: \[([\w/, ]+)\].*# optional/u.exec(line)?.[1]?.split(/, */u) ?? []);
}

/** The rights of the Role that the documentation gives to operators, one by one. */
export function documentedRights(path: string): readonly Right[] {
  const documents = parseAllDocuments(readFileSync(path, "utf8")).map((document) => Role.safeParse(document.toJS()));
  return documents.flatMap(({ data }) => data?.rules ?? []).flatMap(rightsOf);
}

function rightsOf({ apiGroups, resources, verbs }: Rule): readonly Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
  );
}

export function ruleOf({ group, resource, verb }: Right): Rule {
  return { apiGroups: [group], resources: [resource], verbs: [verb] };
}

export function wordsOf({ group, resource, verb }: Right): string {
  return `${verb} ${resource}${group === "" ? "" : ` of ${group}`}`;
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** The right that a request takes, as `GET /apis/batch/v1/namespaces/shop/jobs?watch=true`; undefined for one about no resource. */
export function rightFor(request: string): Right | undefined {
  const [, method = "", path = "", watch] = /^(\w+) ([^?]+)(\?watch=true)?/u.exec(request) ?? [];
  const [, group = "", namespaced = ""] = /^\/(?:api|apis\/([^/]+))\/v\d\w*\/namespaces\/(.+)$/u.exec(path) ?? [];
  if (namespaced === "") return undefined;
  const [, resource, name, subresource] = namespaced.split("/");
  if (resource === undefined) return { group, resource: "namespaces", verb: "get" };
  const reads = watch !== undefined ? "watch" : name === undefined ? "list" : "get";
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { group, resource: whole, verb: verbs[method] ?? reads };
}
