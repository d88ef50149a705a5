import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Pointer, Spec } from "./spec.ts";

/** Checks a value and returns the first error. Never changes the value. */
export type Validate = (value: unknown) => ErrorObject | undefined;

/**
 * Validators for the schemas of a contract, by pointer, each compiled once per process. `strict` is off because `openapi.yaml` as a
 * whole is passed to Ajv, which doesn't know OpenAPI's keywords (`paths`, `info` …). Validation ends at the first error,
 * so a body of 1 MB with an error in each line costs no more than one error.
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
  // For a failed `oneOf` Ajv reports each branch and then the whole, which is the useful one.
  return (value) => (validate(value) ? undefined : validate.errors?.at(-1));
}

/** JSON pointer in a URI fragment, RFC 6901 §6. */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
