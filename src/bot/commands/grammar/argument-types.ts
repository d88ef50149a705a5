import { z } from "zod";
import { isDomainName, requestLimits } from "../../../api/request-limits.ts";
import { echo } from "./echo.ts";

/**
 * A whole number as digits or as a form's number; `name` names it in the error. Nothing else counts as a number: an
 * empty word must not become 0 instances.
 */
export function wholeNumber(name: string, { from, to }: { readonly from: number; readonly to: number }) {
  const error = `${name} must be a whole number from ${from} to ${to}.`;
  const digits = z
    .string()
    .regex(/^\d{1,9}$/u)
    .transform(Number);
  return z.union([z.number(), digits], { error }).pipe(z.int({ error }).min(from, { error }).max(to, { error }));
}

/** Lower-cased, without a scheme or a final dot. */
const Domain = z
  .string()
  .transform((typed) =>
    typed
      .toLowerCase()
      .replace(/^https?:\/\//u, "")
      .replace(/[/.]+$/u, ""),
  )
  .refine(isDomainName, {
    error: ({ input }) => `${echo(String(input))} isn't a domain name. Write one like \`shop.example.com\`.`,
  });

/** Domain names without duplicates. */
export const DomainList = z
  .array(Domain)
  .transform((domains) => [...new Set(domains)])
  .pipe(z.array(z.string()).max(requestLimits.domains, `A service takes at most ${requestLimits.domains} domains.`));
