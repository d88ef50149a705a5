import { describe, expect, test } from "vitest";
import { requestLimits } from "../../src/api/request-limits.ts";
import { isRef, loadSpec, partAt, type Pointer, pointerOf, routesOf } from "../../src/service/api/contract.ts";

type Schema = Readonly<Record<string, unknown>>;
type Found = { readonly at: string; readonly schema: Schema };

const spec = loadSpec();

function resolved(value: unknown): Schema {
  const schema = { ...Object(value) };
  return isRef(schema) ? resolved(partAt(spec, pointerOf(schema))) : schema;
}

/** The schema and everything that it is made of. */
function parts(at: string, value: unknown): Found[] {
  const schema = resolved(value);
  const { properties, items, oneOf, anyOf, allOf, additionalProperties } = schema;
  const inner = [
    ...Object.entries(Object(properties)).map(([name, part]) => [`${at}.${name}`, part] as const),
    ...(items === undefined ? [] : [[`${at}[]`, items] as const]),
    ...[oneOf, anyOf, allOf].flatMap((choices) =>
      (Array.isArray(choices) ? choices : []).map((part) => [at, part] as const),
    ),
    ...(typeof additionalProperties === "object" ? [[`${at}.*`, additionalProperties] as const] : []),
  ];
  return [{ at, schema }, ...inner.flatMap(([place, part]) => parts(place, part))];
}

/** Parts of a schema without a limit. */
function unbounded({ at, schema }: Found): string[] {
  const { type, enum: choices, const: only, oneOf, anyOf, allOf } = schema;
  const has = (...keys: readonly string[]): boolean => keys.every((key) => schema[key] !== undefined);
  if (choices !== undefined || only !== undefined) return [];
  if (type === undefined) return (oneOf ?? anyOf ?? allOf) ? [] : [`${at} has no type`];
  const missing = [type].flat().flatMap((each) => {
    switch (each) {
      case "string":
        return has("maxLength") ? [] : ["no maxLength"];
      case "array":
        return has("maxItems", "items") ? [] : ["no maxItems"];
      case "integer":
      case "number":
        return has("minimum", "maximum") ? [] : ["no minimum or maximum"];
      case "object":
        return schema["additionalProperties"] === false ? [] : ["no additionalProperties: false"];
      default:
        return [];
    }
  });
  return missing.map((what) => `${at} has ${what}`);
}

const requests = routesOf(spec).flatMap(({ op, parameters, body }) => {
  const pointers: readonly (readonly [string, Pointer])[] = [
    ...parameters.map(({ name, schemaAt }) => [`${op} ${name}`, schemaAt] as const),
    ...(body ? [[`${op} body`, body.schema] as const] : []),
  ];
  return pointers.flatMap(([at, pointer]) => parts(at, partAt(spec, pointer)));
});

/** Where the contract defines each limit that the bot enforces. */
const placesOf: Readonly<Record<keyof typeof requestLimits, readonly string[]>> = {
  instances: ["createService body.target_instance_size", "updateService body.target_instance_size"],
  words: ["createService body.containers[].command", "createJob body.containers[].command"],
  text: ["createService body.containers[].command[]", "createJob body.containers[].env[].value"],
  env: ["createService body.containers[].env", "createJob body.containers[].env"],
  envName: ["createService body.containers[].env[].name"],
  image: ["createService body.containers[].image", "createJob body.containers[].image"],
  ports: ["createService body.containers[].ports", "createJob body.containers[].ports"],
  publishedPorts: ["createService body.port_mappings"],
  volumes: ["createService body.volumes", "createJob body.volumes"],
  volumeName: [
    "createService body.volumes[].name",
    "createService body.volumes[].disk_name",
    "createJob body.volumes[].name",
  ],
  mounts: ["createService body.containers[].volumeMounts", "createJob body.containers[].volumeMounts"],
  mountPath: ["createService body.containers[].volumeMounts[].mountPath"],
  domains: ["createService body.binding_domain_name", "updateService body.binding_domain_name"],
  domain: ["createService body.binding_domain_name[]", "updateService body.binding_domain_name[]"],
  containerName: ["updateService body.containers[].name"],
  logFrom: ["getServiceLogs from", "getJobInstanceLogs from"],
};

test.each(Object.entries(requestLimits))("the bot's limit of %s is the contract's", (name, limit) => {
  const { [name]: places = [] }: Readonly<Record<string, readonly string[]>> = placesOf;

  expect(places).not.toEqual([]);
  for (const place of places) {
    const { schema } = requests.find(({ at }) => at === place) ?? {};
    expect({ place, limit: schema?.["maximum"] ?? schema?.["maxLength"] ?? schema?.["maxItems"] }).toEqual({
      place,
      limit,
    });
  }
});

describe("a request to the workload API", () => {
  test("has a limit for each text, list and number, and allows no unlisted properties", () => {
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.flatMap(unbounded)).toEqual([]);
  });

  test("but answers have none: other implementations may answer more", () => {
    const answered = routesOf(spec).flatMap(({ op, answers }) =>
      [...answers].flatMap(([type, pointer]) => parts(`${op} ${type}`, partAt(spec, pointer))),
    );
    const limits = ["maxLength", "maxItems", "minimum", "maximum", "pattern", "enum", "additionalProperties"];
    const strict = answered.filter(({ schema }) =>
      limits.some((key) => typeof schema[key] !== "object" && key in schema),
    );

    expect(answered.length).toBeGreaterThan(100);
    expect(strict.map(({ at }) => at)).toEqual([]);
  });

  test("and a schema without a limit would be noticed", () => {
    const open = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "array", items: { type: "integer", minimum: 0 } }, c: {} },
    };

    expect(parts("body", open).flatMap(unbounded)).toEqual([
      "body has no additionalProperties: false",
      "body.a has no maxLength",
      "body.b has no maxItems",
      "body.b[] has no minimum or maximum",
      "body.c has no type",
    ]);
  });
});
