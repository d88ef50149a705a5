import { UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import type { FormValues } from "../forms/form.ts";
import type { Typed } from "./flags.ts";

/** Long enough for a ticket and a sentence, short enough for a card: in UTF-16 units. */
export const LONGEST_REASON = 500;

/** The channel and history tell everybody why an approval was skipped. */
export const breakGlassNeedsReason = "`--break-glass` needs a reason: the channel and history show it.";

/** A reason on one line. Pure. Throws a `UserError` when it is empty or too long. */
export function readReason(typed: string): string {
  const reason = typed.replaceAll(/\s+/gu, " ").trim();
  if (reason === "") throw new UserError("The reason is empty.", { next: 'Say why in quotes: `--reason "too slow"`.' });
  if (reason.length <= LONGEST_REASON) return reason;
  throw new UserError(`The reason has ${reason.length} characters; the limit is ${LONGEST_REASON}.`, {
    next: "Shorten it, or link to the details.",
  });
}

/** The parts of an Ask that come from the flags shared by verbs. Pure. Throws a `UserError`. */
export function commonFromFlags(typed: Typed): Omit<Ask, "verb" | "args"> {
  const region = regionIn(typed);
  return { ...(region !== undefined && { region }), share: typed.has("share"), ...reasonIn(typed) };
}

/** The same flags as values of form fields. Pure. Throws a `UserError`. */
export function commonFormValues(typed: Typed): FormValues {
  const { region, share, reason, breakGlass } = commonFromFlags(typed);
  return {
    ...(region !== undefined && { region }),
    ...(share && { share: "yes" }),
    ...(reason !== undefined && { reason }),
    ...(breakGlass === true && { "break-glass": "yes" }),
  };
}

function regionIn(typed: Typed): string | undefined {
  const region = typed.one("region");
  if (region === "") throw new UserError("`--region` needs a value.", { next: "Write `--region R`." });
  return region;
}

function reasonIn(typed: Typed): Pick<Ask, "reason" | "breakGlass"> {
  const text = typed.one("reason");
  const reason = text === undefined ? undefined : readReason(text);
  const breakGlass = typed.has("break-glass");
  if (breakGlass && reason === undefined) throw new UserError(breakGlassNeedsReason, { next: "Add `--reason TEXT`." });
  return { ...(reason !== undefined && { reason }), ...(breakGlass && { breakGlass }) };
}
