import { z } from "zod";

/**
 * A whole number of an argument, as digits or as a form's number; `name` says what it is called in the sentence.
 * Nothing else counts as a number: an empty word must not become 0 instances.
 */
export function wholeNumber(name: string, { from, to }: { readonly from: number; readonly to: number }) {
  const error = `${name} must be a whole number from ${from} to ${to}.`;
  const digits = z
    .string()
    .regex(/^\d{1,9}$/u)
    .transform(Number);
  return z.union([z.number(), digits], { error }).pipe(z.int({ error }).min(from, { error }).max(to, { error }));
}
