import type { ErrorObject } from "ajv/dist/2020.js";
import { closest, distance } from "fastest-levenshtein";

/** The parameter that holds the value; without a name, the body. */
type Field = { readonly name?: string; readonly description?: string };

/**
 * Describes the error in a sentence that names the field: "containers[0].image is required". It never contains the
 * value, which may be a secret.
 */
export function fieldError(error: ErrorObject, field: Field = {}): string {
  const at = (field.name ?? "") + pathOf(error.instancePath);
  if (error.keyword === "required") return `${joined(at, text(error.params["missingProperty"]))} is required`;
  if (error.keyword === "additionalProperties") return unknownProperty(at, error);
  return `${at === "" ? "the body" : at.replace(/^\./, "")} ${rule(error, field.description)}`;
}

/** Without this error, a misspelt property would be ignored silently. */
function unknownProperty(at: string, { params, parentSchema }: ErrorObject): string {
  const name = String(params["additionalProperty"]);
  const known = Object.keys(Object(parentSchema?.["properties"]));
  const near = nearest(name, known);
  const next = near === undefined ? `use only ${known.join(", ")}` : `did you mean ${near}?`;
  return `${joined(at, shortened(name))} isn't a property of this request: ${next}`;
}

const longestName = 60;

function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName || known.length === 0) return undefined;
  const near = closest(name.toLowerCase(), known);
  return distance(name.toLowerCase(), near.toLowerCase()) <= Math.max(2, near.length / 4) ? near : undefined;
}

/** The name comes from the client: it can be a megabyte long or contain control characters. */
function shortened(name: string): string {
  const visible = name.replaceAll(/\p{C}/gu, "?");
  return visible.length > longestName ? `${visible.slice(0, longestName)}…` : visible;
}

const rules: Readonly<Record<string, (limit: unknown) => string>> = {
  type: (type) => `must be ${[type].flat().map(typeWords).join(" or ")}`,
  minimum: (limit) => `must be at least ${text(limit)}`,
  maximum: (limit) => `must be at most ${text(limit)}`,
  minLength: (limit) => (limit === 1 ? "must not be empty" : `must have at least ${text(limit)} characters`),
  maxLength: (limit) => `must have at most ${text(limit)} characters`,
  minItems: (limit) => (limit === 1 ? "must not be empty" : `must have at least ${text(limit)} entries`),
  maxItems: (limit) => `must have at most ${text(limit)} entries`,
  enum: (values) => `must be one of ${[values].flat().map(text).join(", ")}`,
};

function rule(error: ErrorObject, description: string | undefined): string {
  const words = rules[error.keyword];
  if (words) return words(error.schema);
  // A pattern or a choice of forms says little to people. The description in the contract does, without its part about
  // gaps of the API and what we added to it.
  const own: unknown = error.parentSchema?.["description"] ?? description;
  if (typeof own === "string")
    return `isn't valid: ${own
      .replace(/(?:Left open by the API|An extension:).*/s, "")
      .trim()
      .replaceAll(/\s+/g, " ")}`;
  return error.message ?? "isn't valid";
}

function typeWords(type: unknown): string {
  switch (type) {
    case "integer":
      return "a whole number";
    case "array":
      return "a list";
    case "string":
      return "text";
    case "object":
      return "an object";
    case "boolean":
      return "true or false";
    default:
      return text(type);
  }
}

/** `/containers/0/image` → `.containers[0].image`. */
function pathOf(instancePath: string): string {
  return instancePath
    .split("/")
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key.replaceAll("~1", "/").replaceAll("~0", "~")}`))
    .join("");
}

function joined(at: string, key: string): string {
  return `${at}.${key}`.replace(/^\./, "");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
