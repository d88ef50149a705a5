import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { operationTable } from "../../../src/api/operations.ts";
import {
  isRef,
  loadSpec,
  methods,
  partAt,
  type Pointer,
  pointerOf,
  routesOf,
} from "../../../src/service/api/contract.ts";

const spec = loadSpec();

type Node = { readonly at: Pointer; readonly value: Readonly<Record<string, unknown>> };

/** What examples hold is data: a `$ref` or `properties` in there would mean nothing. */
const data = new Set(["example", "examples", "default", "enum", "const"]);

/** Every object of the document with its place. A key of `properties` is a name, not a keyword. */
function nodes(value: unknown, at: Pointer = []): Node[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value).filter(([key]) => !data.has(key) || at.at(-1) === "properties");
  const below = entries.flatMap(([key, child]) => nodes(child, [...at, key]));
  return [{ at, value: { ...value } }, ...below];
}

const all = nodes(spec);
const place = (at: Pointer) => at.join(" ");

/** A property, or what it refers to. */
function resolved(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRef(value) ? { ...Object(partAt(spec, pointerOf(value))) } : value;
}

describe("openapi.yaml", () => {
  test("has exactly the 14 operations, each once", () => {
    const ids = Object.values(spec.paths).flatMap((item) =>
      methods.flatMap((method) => item[method]?.operationId ?? []),
    );

    expect(ids.toSorted()).toMatchInlineSnapshot(`
      [
        "createJob",
        "createService",
        "deleteJob",
        "deleteService",
        "getJob",
        "getJobInstanceLogs",
        "getService",
        "getServiceLogs",
        "listJobs",
        "listServices",
        "restartService",
        "startService",
        "stopService",
        "updateService",
      ]
    `);
    expect(ids.toSorted()).toEqual(Object.keys(operationTable).toSorted());
  });

  test("has the method and the path with which the client sends each operation", () => {
    const served = routesOf(spec).map(({ op, method, template }) => [op, `${method.toUpperCase()} ${template}`]);
    const sent = Object.entries(operationTable).map(([op, { method, path }]) => [op, `${method} ${path}`]);

    expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(served));
  });

  test("has each path once, whatever its parameters are called", () => {
    const shapes = Object.keys(spec.paths).map((template) => template.replaceAll(/\{\w+\}/g, "{}"));

    expect(new Set(shapes).size).toBe(shapes.length);
  });

  test("names each parameter of a path in the path, and only those", () => {
    for (const [template, item] of Object.entries(spec.paths)) {
      const named = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (item.parameters ?? [])
        .map((parameter) => resolved(parameter))
        .filter((each) => each["in"] === "path");

      expect({ template, names: declared.map((each) => String(each["name"])).toSorted() }).toEqual({
        template,
        names: named.map(String).toSorted(),
      });
    }
  });

  test("has no reference that leads nowhere", () => {
    const refs = all.filter(({ value }) => isRef(value));

    expect(refs.length).toBeGreaterThan(50);
    for (const { value } of refs) if (isRef(value)) expect(partAt(spec, pointerOf(value))).toBeTypeOf("object");
  });

  test("says of each property what type it has and what it means, with an example", () => {
    const properties = all.filter(({ at }) => at.at(-2) === "properties" && at.at(-3) !== "properties");

    expect(properties.length).toBeGreaterThan(80);
    const poor = properties.filter(({ value }) => {
      const { type, oneOf, anyOf, allOf, description, examples, items, properties: inner } = resolved(value);
      // Lists and objects show theirs in what they are made of.
      const parts = [items, ...Object.values(Object(inner))].filter(
        (part) => typeof part === "object" && part !== null,
      );
      const isShown = [examples, ...parts.map((part) => resolved({ ...part })["examples"] ?? isMadeOfShown(part))].some(
        Boolean,
      );
      return !(type ?? oneOf ?? anyOf ?? allOf) || typeof description !== "string" || !isShown;
    });
    expect(poor.map(({ at }) => place(at))).toEqual([]);
  });

  test("says of each operation, parameter and answer what it means", () => {
    const needing = all.filter(
      ({ at, value }) =>
        "operationId" in value || ("in" in value && at[0] === "components") || at.at(-2) === "responses",
    );

    expect(needing.length).toBeGreaterThan(100);
    const silent = needing.filter(({ value }) => typeof resolved(value)["description"] !== "string");
    expect(silent.map(({ at }) => place(at))).toEqual([]);
  });
});

/** A part of a property whose own properties have examples, as a list of containers has. */
function isMadeOfShown(part: unknown): boolean {
  const inner = resolved({ ...Object(part) })["properties"];
  return Object.values(Object(inner)).some((each) => resolved({ ...Object(each) })["examples"] !== undefined);
}

describe("each example of openapi.yaml is what its schema says", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(spec, "spec");
  const fragment = (at: Pointer) =>
    at.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const examples = all.flatMap(({ at, value }) => {
    const isSchema = !("schema" in value);
    const given = isSchema ? value["examples"] : "example" in value ? [value["example"]] : [];
    // Parameters and media types have `example` beside their schema, schemas have `examples` within.
    const schemaAt = isSchema ? at : [...at, "schema"];
    return Array.isArray(given)
      ? given.map((example: unknown, index) => ({ name: place([...at, String(index)]), at, schemaAt, example }))
      : [];
  });

  test("there are many", () => {
    expect(examples.length).toBeGreaterThan(120);
    const used = all.filter(({ value }) => "example" in value || "examples" in value);
    expect(new Set(examples.map(({ at }) => at)).size).toBe(used.length);
  });

  test.each(examples)("$name", ({ schemaAt, example }) => {
    const validate = ajv.compile({ $ref: `spec#/${fragment(schemaAt)}` });

    validate(example);

    expect(validate.errors ?? []).toEqual([]);
  });

  test("and a wrong one would be noticed", () => {
    const validate = ajv.compile({ $ref: `spec#/${fragment(["components", "schemas", "Job"])}` });

    expect([validate({}), validate({ metadata: { name: 5 } })]).toEqual([false, false]);
  });
});
