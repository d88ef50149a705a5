import { isRef, methods, partAt, pointerOf } from "./spec.ts";
import type { Method, Parameter, PathItem, Pointer, Ref, Spec, SpecOperation, SpecResponse } from "./spec.ts";

/** One operation of the contract, with everything that serving it needs; schemas are pointers into the spec. */
export type Route = {
  readonly op: string;
  readonly method: Method;
  /** The path of the contract, e.g. `/v1/regions/{region}/jobs`. */
  readonly template: string;
  readonly tags: readonly string[];
  readonly parameters: readonly RouteParameter[];
  readonly body?: { readonly required: boolean; readonly schema: Pointer };
  /** Schema of the 200 answer by media type, in the order of the contract. */
  readonly answers: ReadonlyMap<string, Pointer>;
  /** Every status that the contract names for this operation. */
  readonly statuses: ReadonlySet<number>;
};
export type RouteParameter = Parameter & { readonly schemaAt: Pointer };

/** The operations of the contract. There is no other list of routes: a new operation in `openapi.yaml` is served. */
export function routesOf(spec: Spec): readonly Route[] {
  return Object.entries(spec.paths).flatMap(([template, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [routeOf(spec, { template, method, item, operation })] : [];
    }),
  );
}

type OperationAt = {
  readonly template: string;
  readonly method: Method;
  readonly item: PathItem;
  readonly operation: SpecOperation;
};

function routeOf(spec: Spec, { template, method, item, operation }: OperationAt): Route {
  const at = ["paths", template, method];
  const content = [...at, "requestBody", "content", "application/json", "schema"];
  return {
    op: operation.operationId,
    method,
    template,
    tags: operation.tags,
    parameters: overridden(
      parametersAt(spec, item.parameters, ["paths", template]),
      parametersAt(spec, operation.parameters, at),
    ),
    ...(operation.requestBody && { body: { required: operation.requestBody.required === true, schema: content } }),
    answers: answersAt(spec, operation.responses["200"], [...at, "responses", "200"]),
    statuses: new Set(Object.keys(operation.responses).map(Number)),
  };
}

function parametersAt(spec: Spec, list: PathItem["parameters"], at: Pointer): readonly RouteParameter[] {
  return (list ?? []).map((entry, index) => {
    const pointer = isRef(entry) ? pointerOf(entry) : [...at, "parameters", String(index)];
    const parameter = isRef(entry) ? (partAt(spec, pointer) as Parameter) : entry; // parameters refer to parameters only
    return { ...parameter, schemaAt: [...pointer, "schema"] };
  });
}

/** A parameter of the operation overrides one of its path with the same `name` and `in` (OpenAPI 3.1, Operation Object). */
function overridden(ofPath: readonly RouteParameter[], own: readonly RouteParameter[]): readonly RouteParameter[] {
  return [...ofPath.filter((each) => !own.some(({ name, in: at }) => name === each.name && at === each.in)), ...own];
}

function answersAt(spec: Spec, entry: SpecResponse | Ref | undefined, at: Pointer): ReadonlyMap<string, Pointer> {
  if (!entry) throw new Error(`openapi.yaml: there is no 200 answer at ${at.join(" ")}`);
  const pointer = isRef(entry) ? pointerOf(entry) : at;
  const response = isRef(entry) ? (partAt(spec, pointer) as SpecResponse) : entry; // responses refer to responses only
  return new Map(Object.keys(response.content ?? {}).map((type) => [type, [...pointer, "content", type, "schema"]]));
}
