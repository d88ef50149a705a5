import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The parts of an OpenAPI document that this folder reads. test/api/spec.test.ts checks that `openapi.yaml` has them. */
export type Spec = {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
export type Ref = { readonly $ref: string };
export type PathItem = { readonly parameters?: readonly (Parameter | Ref)[] } & {
  readonly [method in Method]?: SpecOperation;
};
export type SpecOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Readonly<Record<string, SpecResponse | Ref>>;
};
export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: { readonly type?: string; readonly default?: unknown };
};
export type SpecResponse = { readonly content?: Readonly<Record<string, unknown>> };

export const methods = ["get", "put", "post", "delete", "patch"] as const;
export type Method = (typeof methods)[number];

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
