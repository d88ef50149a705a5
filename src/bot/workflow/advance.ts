import type { StoredChange, Who } from "../changes/stored-change.ts";
import { changeEvent, logEvent } from "./history.ts";
import { lifecycle, type Step } from "./lifecycle.ts";
import type { Advanced, WorkflowParts } from "./ports.ts";

type Words = { readonly result: string; readonly who?: Who; readonly reference?: string };

/** One step of a Change with its row of history, which is logged if the step was made. */
export async function advance(
  deps: Pick<WorkflowParts, "store" | "clock" | "log">,
  change: StoredChange,
  step: Step & Words,
): Promise<Advanced> {
  const { result, who, reference, ...bare } = step;
  const words = { result, ...(who && { who }), ...(reference !== undefined && { reference }) };
  const event = changeEvent(deps, change, { kind: lifecycle[step.name].event, ...words });
  const advanced = await deps.store.advance(change.id, bare, event);
  if (advanced.kind === "moved") logEvent(deps, event);
  return advanced;
}
