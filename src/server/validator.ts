import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Pointer, Spec } from "./spec.ts";

/** Checks a value; the answer is the first thing that is wrong, or nothing. It never changes the value. */
export type Validate = (value: unknown) => ErrorObject | undefined;

/**
 * Validators for the schemas of a contract, by pointer, each compiled once in a process. `strict` is off because `openapi.yaml` as a
 * whole is handed to Ajv and OpenAPI's own keywords (`paths`, `info` …) are unknown to it. Only the first error is
 * looked for: a body of 1 MB with a wrong entry in each line must not cost more than one.
 */
export function validatorsOf(spec: Spec): (pointer: Pointer) => Validate {
  const known = compilers.get(spec) ?? compilerOf(spec);
  compilers.set(spec, known);
  return known;
}

const compilers = new WeakMap<Spec, (pointer: Pointer) => Validate>();

function compilerOf(spec: Spec): (pointer: Pointer) => Validate {
  const compiled = new Map<string, Validate>();
  const ajv = new Ajv2020({ strict: false, verbose: true });
  addFormats.default(ajv);
  ajv.addSchema(spec, "spec");
  return (pointer) => {
    const $ref = `spec#/${pointer.map(escaped).join("/")}`;
    const validate = compiled.get($ref) ?? firstError(ajv.compile({ $ref }));
    compiled.set($ref, validate);
    return validate;
  };
}

function firstError(validate: ValidateFunction): Validate {
  // Of a failed `oneOf` Ajv reports each branch and then the whole; the whole, at the end, is the one to tell.
  return (value) => (validate(value) ? undefined : validate.errors?.at(-1));
}

/** JSON pointer in a URI fragment, RFC 6901 §6. */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
