import { pathSafe } from "../../../api/request-limits.ts";
import { UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import type { FormValues } from "./form.ts";
import { breakGlassNeedsReason, readReason } from "../grammar/common-flags.ts";

type Common = Omit<Ask, "verb" | "args">;
type CommonValues = { readonly ask: Common; readonly errors: Readonly<Record<string, string>> };

/** The parts of an Ask that come from fields shared by verbs, with errors by field. Pure. */
export function commonFromForm(values: FormValues): CommonValues {
  const region = values["region"]?.trim() ?? "";
  const { reason, error } = reasonIn(values);
  const breakGlass = values["break-glass"] === "yes";
  const asked = { ...(region !== "" && { region }), share: values["share"] === "yes" };
  return {
    ask: { ...asked, ...(reason !== undefined && { reason }), ...(breakGlass && { breakGlass }) },
    errors: { ...regionError(region), ...(error !== undefined && { reason: error }) },
  };
}

function regionError(region: string): Record<string, string> {
  const isRegion = region === "" || (pathSafe(region) && region.length <= 100);
  return isRegion ? {} : { region: "--region isn't a valid region name." };
}

function reasonIn(values: FormValues): { readonly reason?: string; readonly error?: string } {
  const typed = values["reason"] ?? "";
  const isAsked = values["break-glass"] === "yes";
  if (typed.trim() === "") return isAsked ? { error: breakGlassNeedsReason } : {};
  try {
    return { reason: readReason(typed) };
  } catch (error) {
    if (error instanceof UserError) return { error: [error.message, error.next].join(" ") };
    throw error;
  }
}
