import type { Call } from "./operations.ts";
import type { ApiAccount } from "./request.ts";

/** A text that must not be shown, and what stands in its place. */
export type Secret = { readonly text: string; readonly shown: "[token]" | "[value]" };

/** Shorter ones are words like `true` and `80`, which would be taken out of sentences that mean something else. */
const SHORTEST = 5;

/**
 * What a service may repeat in a refusal and must not be shown, stored or logged: the token, and the values of the
 * environment variables that the call sets, also as they stand in JSON. Longest first, so that none is left in part.
 */
export function secretValues({ body }: Call, { token }: ApiAccount): readonly Secret[] {
  const containers = body !== undefined && "containers" in body ? (body.containers ?? []) : [];
  const values = containers
    .flatMap((container) => ("env" in container ? (container.env ?? []) : []))
    .flatMap(({ value = "" }) => (value.length < SHORTEST ? [] : [value, inJson(value)]))
    .map((text): Secret => ({ text, shown: "[value]" }));
  const all: Secret[] = [{ text: token, shown: "[token]" }, ...values];
  return all.toSorted((a, b) => b.text.length - a.text.length);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
