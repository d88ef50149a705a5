import { UserError } from "../../errors.ts";
import type { Ask } from "../ask.ts";
import type { Typed } from "./flags.ts";
import type { FormValues } from "../forms/form.ts";
import { glassNeedsReason, readReason } from "./reason.ts";

/** What an Ask has besides its verb and arguments, from words. Pure. Throws a `UserError`. */
export function commonTyped(typed: Typed): Omit<Ask, "verb" | "args"> {
  const region = regionOf(typed);
  return { ...(region !== undefined && { region }), share: typed.has("share"), ...whyOf(typed) };
}

/** The same as it stands in a form. Pure. Throws a `UserError`. */
export function commonTexts(typed: Typed): FormValues {
  const { region, share, reason, breakGlass } = commonTyped(typed);
  return {
    ...(region !== undefined && { region }),
    ...(share && { share: "yes" }),
    ...(reason !== undefined && { reason }),
    ...(breakGlass === true && { "break-glass": "yes" }),
  };
}

function regionOf(typed: Typed): string | undefined {
  const region = typed.one("region");
  if (region === "") throw new UserError("--region needs a value.", { next: "Write --region R." });
  return region;
}

function whyOf(typed: Typed): Pick<Ask, "reason" | "breakGlass"> {
  const said = typed.one("reason");
  const reason = said === undefined ? undefined : readReason(said);
  const breakGlass = typed.has("break-glass");
  if (breakGlass && reason === undefined) {
    throw new UserError(glassNeedsReason, {
      next: "Add --reason TEXT.",
    });
  }
  return { ...(reason !== undefined && { reason }), ...(breakGlass && { breakGlass }) };
}
