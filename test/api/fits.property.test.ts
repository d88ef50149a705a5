import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { fitsOf } from "../../src/api/fits.ts";
import { Job, Service } from "../../src/api/workload-shapes.ts";

const Spec = z.object({
  components: z.object({
    schemas: z.record(z.string(), z.looseObject({ examples: z.array(z.unknown()).optional() })),
  }),
});
const { schemas } = Spec.parse(parse(readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8"))).components;
const examplesOf = (name: string) => z.array(z.unknown()).min(1).parse(schemas[name]?.examples);

type Change = { readonly at: number; readonly to: unknown };

/** What takes the place of some part of an example, its key included; `gone` removes it. */
const gone = Symbol("gone");
const other = fc.oneof(
  fc.constantFrom<unknown>(gone, null, "", "x", "7", 0, 7, -1.5, 1e21, true, [], {}, [null], ["x", 7], { name: "x" }),
  fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"name":"x"},"name":"x"}'), { name: null }, [{ name: 7 }], [[]]),
  fc.jsonValue(),
);
const changes = fc.array(fc.record({ at: fc.nat(200), to: other }), { maxLength: 3 });

/** The example with the parts changed, counted in the order in which JSON visits them. */
function changed(example: unknown, all: readonly Change[]): unknown {
  let visited = 0;
  const visit = (value: unknown): unknown => {
    const hit = all.find(({ at }) => at === visited);
    visited += 1;
    if (hit) return hit.to;
    if (Array.isArray(value)) return value.map(visit).filter((each) => each !== gone);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, visit(inner)] as const); // a pair, not a list
    return Object.fromEntries(entries.filter(([, inner]) => inner !== gone));
  };
  return JSON.parse(JSON.stringify(visit(example)) ?? "null");
}

describe.each([
  ["a service", Service, examplesOf("Service")],
  ["a job", Job, examplesOf("Job")],
] as const)("%s that fits", (_, schema, examples) => {
  const fits = fitsOf(schema);

  test("is what its schema returns, whatever is changed in it", () => {
    const property = fc.property(fc.constantFrom(...examples), changes, (example, all) => {
      const value = changed(example, all);
      if (fits(value)) expect(schema.safeParse(value)).toStrictEqual({ success: true, data: value });
    });
    fc.assert(property);
  });

  test("is each example that needs no conversion", () => {
    for (const example of examples) {
      const read: unknown = JSON.parse(JSON.stringify(schema.parse(example)));
      expect(fits(read)).toBe(true);
    }
  });

  test("is none that lacks its name", () => {
    expect(fits({})).toBe(false);
    expect(fits({ metadata: {}, status: "Running" })).toBe(false);
    expect(fits(null)).toBe(false);
  });
});
