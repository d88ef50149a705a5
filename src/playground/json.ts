export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value as text; "" for any other type, so a wrong type reads as absent. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The objects of a list; [] for any other value. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : [];
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** JSON text as a value; undefined when it isn't valid JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives nothing but JSON
  } catch {
    return undefined;
  }
}
