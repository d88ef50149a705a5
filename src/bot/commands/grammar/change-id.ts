import { z } from "zod";
import { echo } from "./echo.ts";

/** https://www.crockford.com/base32.html: no I, L, O and U, so that an id can be read out and typed. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 6;

/** An id of a Change as people type it: in any case, with O for 0 and I or L for 1, with or without # and hyphens. */
export const ChangeId = z
  .string({ error: "ID is missing. Find it on the request's card, or with `pending`." })
  .transform((typed, context) => {
    const id = typed.toUpperCase().replaceAll(/[#-]/gu, "").replaceAll("O", "0").replaceAll(/[IL]/gu, "1");
    if (id.length === LENGTH && Array.from(id).every((digit) => DIGITS.includes(digit))) return id;
    context.addIssue(`${echo(typed)} isn't a request ID. IDs have six letters and digits; \`pending\` lists them.`);
    return z.NEVER;
  });
export type ChangeId = z.output<typeof ChangeId>;

/**
 * A new id of 30 random bits; it can be taken already, which the store then refuses. `randomBytes` is `node:crypto`'s.
 */
export function newChangeId(randomBytes: (size: number) => Uint8Array): string {
  return Array.from(randomBytes(LENGTH), (byte) => DIGITS.charAt(byte % DIGITS.length)).join("");
}
