import type { z } from "zod";

/**
 * Whether a value is already what its schema would make of it: nothing missing that is needed, nothing to convert, to drop
 * or to forgive. Lists of thousands mostly are, and then needn't be copied field by field. `false` decides nothing: the
 * schema reads what doesn't fit.
 */
export type Fits = (value: unknown) => boolean;

type Core = z.core.$ZodTypes;

const items = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** Says that a schema reads a list of these and drops those that are malformed. */
export function readsListOf(list: z.ZodType, item: z.ZodType): void {
  items.set(list, item);
}

/** Made once for a schema. It knows the kinds of schema that answers are made of; nothing fits another kind. */
export function fitsOf(schema: z.core.$ZodType): Fits {
  const item = items.get(schema);
  if (item !== undefined) return listFits(fitsOf(item));
  const { _zod: core } = schema as Core; // each schema is one of them
  const fits = fitsKind(core.def);
  const checks = (core.def.checks ?? []).map(checkFits);
  if (checks.length === 0) return fits;
  return (value) => fits(value) && checks.every((each) => each(value));
}

function fitsKind(def: Core["_zod"]["def"]): Fits {
  switch (def.type) {
    case "string":
      return (value) => typeof value === "string";
    case "number":
      return Number.isFinite;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "optional": {
      const inner = fitsOf(def.innerType);
      return (value) => value === undefined || inner(value);
    }
    case "catch":
      return fitsOf(def.innerType);
    case "union": {
      const options = def.options.map(fitsOf);
      return (value) => options.some((each) => each(value));
    }
    case "array":
      return listFits(fitsOf(def.element));
    case "record": {
      const inner = fitsOf(def.valueType);
      return (value) => isPlain(value) && Object.values(value).every(inner);
    }
    case "object":
      return objectFits(new Map(Object.entries(def.shape).map(([key, field]) => [key, fitsOf(field)])));
    default:
      return () => false;
  }
}

function checkFits(check: z.core.$ZodCheck): Fits {
  const { def } = check._zod;
  if ("fn" in def && typeof def.fn === "function") {
    const { fn } = def;
    return (value) => fn(value) === true;
  }
  return () => false;
}

function listFits(item: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const each of value) if (!item(each)) return false;
    return true;
  };
}

/** Checks only the fields that are present: most entries have a third of those that the schema knows. */
function objectFits(fields: ReadonlyMap<string, Fits>): Fits {
  const needed = [...fields].flatMap(([key, fits]) => (fits(undefined) ? [] : [key]));
  return (value) => {
    if (!isPlain(value)) return false;
    for (const key in value) if (fields.get(key)?.(value[key]) === false) return false;
    return needed.every((key) => Object.hasOwn(value, key));
  };
}

/** As from JSON. A schema leaves out a key called `__proto__`. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !Object.hasOwn(value, "__proto__");
}

/**
 * What an answer is read as, tied to the generated types: this doesn't compile while the spec lacks a field that is read,
 * or has another type for it. The compiler's message names the field.
 */
export type Tied<Read, Untrue extends never> = Read | Untrue;

/** The fields of `Read` that `Spec` doesn't have, or not with this type: a union of sentences. */
export type Differences<Read, Spec, Path extends string = ""> = [Read] extends [readonly (infer Item)[]]
  ? [Spec] extends [readonly (infer Other)[]]
    ? Differences<Item, Other, `${Path}[]`>
    : `${Path} is no list in the spec`
  : keyof Named<Read> extends never
    ? [Spec] extends [Read]
      ? never
      : `${Path} has another type in the spec`
    : { [Name in keyof Named<Read>]-?: OfField<Named<Read>, Spec, Name, Path> }[keyof Named<Read>];

type OfField<Read, Spec, Name extends keyof Read, Path extends string> = Name extends KeyIn<Spec> & string
  ? Differences<NonNullable<Read[Name]>, NonNullable<ValueIn<Spec, Name>>, `${Path}.${Name}`>
  : `${Path}.${Name & string} isn't in the spec`;

/** Without what a loose object keeps beside the fields that it reads. */
type Named<Type> = Type extends object
  ? { [Name in keyof Type as string extends Name ? never : Name]: Type[Name] }
  : {};

type KeyIn<Spec> = Spec extends unknown ? keyof Spec : never;
type ValueIn<Spec, Name extends string> = Spec extends { [Field in Name]?: infer Value } ? Value : never;
