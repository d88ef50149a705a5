import type { Context } from "../commands/command.ts";
import type { FormValues } from "../commands/forms/form.ts";
import type { FormCommand } from "../commands/grammar/parse.ts";
import { regionOf } from "../commands/grammar/target.ts";
import { visibleItems } from "../commands/lookup/may-see.ts";
import { type Suggestion, UserError } from "../errors.ts";
import { contextFor } from "./access/context.ts";
import type { Origin } from "./origin.ts";
import type { WorkflowParts } from "./ports.ts";

const MOST = 3;

type Offering = { readonly command: FormCommand; readonly values: FormValues; readonly origin: Origin };

/**
 * Workloads for words that lack only a name, as buttons: the first of a recent list that the person may see. Makes no API
 * call, and offers nothing when there is no recent list or when something else is missing.
 */
export async function workloadsFor(
  deps: WorkflowParts,
  { command, values, origin }: Offering,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const field = command.form.fields(values).find(({ id }) => id === "name");
  if (field?.input.kind !== "workload" || command.effect === "link") return [];
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const kinds = field.input.of === "any" ? (["service", "job"] as const) : [field.input.of];
    const names = await Promise.all(kinds.map((kind) => visibleNames(kind, context)));
    return names
      .flat()
      .slice(0, MOST)
      .flatMap((name) => suggestionFor(command, { ...values, name }, name));
  } catch (error) {
    // The answer is the missing word; buttons are extra.
    if (error instanceof UserError) return [];
    throw error;
  }
}

async function visibleNames(kind: "service" | "job", context: Context): Promise<readonly string[]> {
  const region = regionOf(kind, context.settings.region, context.settings);
  const known = context.directory.names(context.account.username, kind, region) ?? [];
  const items = known.filter((name) => context.binding?.covers(name) ?? true);
  const names = await visibleItems({ kind, region, items, nameOf: (name) => name, most: MOST }, context);
  return names.map((name) => `${kind}/${name}`);
}

function suggestionFor({ name: verb, form }: FormCommand, values: FormValues, name: string): Suggestion[] {
  const filled = form.fill(values);
  const label = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${name.replace(/^service\//u, "")}`;
  return filled.kind === "ask" ? [{ ask: filled.ask, label }] : [];
}
