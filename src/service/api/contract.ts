import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The parts of an OpenAPI document that this folder reads. test/service/api/contract.test.ts checks that `openapi.yaml` has them. */
type Spec = {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
type Ref = { readonly $ref: string };
type PathItem = { readonly parameters?: readonly (Parameter | Ref)[] } & {
  readonly [method in Method]?: SpecOperation;
};
type SpecOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Readonly<Record<string, SpecResponse | Ref>>;
};
type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: { readonly type?: string; readonly default?: unknown };
};
type SpecResponse = { readonly content?: Readonly<Record<string, unknown>> };

export const methods = ["get", "put", "post", "delete", "patch"] as const;
type Method = (typeof methods)[number];

let loaded: Spec | undefined;

/** The contract, `openapi.yaml`, read and parsed once per process. */
export function loadSpec(): Spec {
  loaded ??= parse(readFileSync(new URL("../../../openapi.yaml", import.meta.url), "utf8")) as Spec; // our own file, see Spec
  return loaded;
}

export function isRef(value: object): value is Ref {
  return "$ref" in value;
}

/** The keys that lead to a part of the document. */
export type Pointer = readonly string[];

/** A local reference (`#/components/…`) as a pointer; RFC 6901 escapes are undone. */
export function pointerOf(ref: Ref): Pointer {
  if (!ref.$ref.startsWith("#/")) throw new Error(`openapi.yaml: ${ref.$ref} doesn't point into the same file`);
  return ref.$ref
    .slice(2)
    .split("/")
    .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The part at a pointer. Throws an Error that names a pointer to nothing. */
export function partAt(spec: Spec, pointer: Pointer): unknown {
  let part: unknown = spec;
  for (const key of pointer) {
    part = typeof part === "object" && part !== null ? Object.getOwnPropertyDescriptor(part, key)?.value : undefined;
    if (part === undefined) throw new Error(`openapi.yaml: there is nothing at #/${pointer.join("/")}`);
  }
  return part;
}

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

/** Makes it once per document and process. */
function perSpec<Made>(make: (spec: Spec) => Made): (spec: Spec) => Made {
  const made = new WeakMap<Spec, Made>();
  return (spec) => {
    const known = made.get(spec) ?? make(spec);
    made.set(spec, known);
    return known;
  };
}

/** The operations of a contract. There is no other list of routes: a new operation in `openapi.yaml` is served. */
export const routesOf = perSpec((spec): readonly Route[] =>
  Object.entries(spec.paths).flatMap(([template, item]) =>
    methods.flatMap((method) => routeOf(spec, template, item, method) ?? []),
  ),
);

function routeOf(spec: Spec, template: string, item: PathItem, method: Method): Route | undefined {
  const operation = item[method];
  if (!operation) return undefined;
  const at = ["paths", template, method];
  const content = [...at, "requestBody", "content", "application/json", "schema"];
  // A parameter of the operation overrides one of its path with the same `name` and `in` (OpenAPI 3.1, Operation Object).
  const ofPath = parametersAt(spec, item.parameters, ["paths", template]);
  const own = parametersAt(spec, operation.parameters, at);
  return {
    op: operation.operationId,
    method,
    template,
    tags: operation.tags,
    parameters: [
      ...ofPath.filter((each) => !own.some(({ name, in: place }) => name === each.name && place === each.in)),
      ...own,
    ],
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

function answersAt(spec: Spec, entry: SpecResponse | Ref | undefined, at: Pointer): ReadonlyMap<string, Pointer> {
  if (!entry) throw new Error(`openapi.yaml: there is no 200 answer at ${at.join(" ")}`);
  const pointer = isRef(entry) ? pointerOf(entry) : at;
  const response = isRef(entry) ? (partAt(spec, pointer) as SpecResponse) : entry; // responses refer to responses only
  return new Map(Object.keys(response.content ?? {}).map((type) => [type, [...pointer, "content", type, "schema"]]));
}

/** Checks a value and returns the first error. Never changes the value. */
export type Validate = (value: unknown) => ErrorObject | undefined;

/**
 * Validators for the schemas of a contract, by pointer, each compiled when it checks its first value.
 * `strict` is off because `openapi.yaml` as a whole is passed to Ajv, which doesn't know OpenAPI's keywords (`paths`,
 * `info` …); its linter checks the schemas, not each start. Validation ends at the first error, so a body of 1 MB with an
 * error in each line costs no more than one error.
 */
export const validatorsOf = perSpec((spec): ((pointer: Pointer) => Validate) => {
  const compiled = new Map<string, Validate>();
  const ajv = new Ajv2020({ strict: false, verbose: true, meta: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(spec, "spec");
  return (pointer) => {
    // A JSON pointer in a URI fragment, RFC 6901 §6.
    const keys = pointer.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1")));
    const $ref = `spec#/${keys.join("/")}`;
    const known = compiled.get($ref);
    if (known) return known;
    let fits: ValidateFunction | undefined;
    const validate: Validate = (value) => {
      fits ??= ajv.compile({ $ref });
      // For a failed `oneOf` Ajv reports each branch and then the whole, which is the useful one.
      return fits(value) ? undefined : fits.errors?.at(-1);
    };
    compiled.set($ref, validate);
    return validate;
  };
});
