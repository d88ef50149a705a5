import { drawView } from "../draw/view.ts";
import { newPen } from "../draw/pen.ts";
import { closeLabel, exampleField, submitLabel } from "../people/open-form.ts";
import type { Person } from "../people/person.ts";
import type { View } from "../workspace/state.ts";
import type { World } from "../world.ts";
import { drawMessages } from "./draw-messages.ts";

export type Patience = {
  /** Quiet for this long counts as finished. */
  readonly quietMs: number;
  /** Stops waiting after this long. */
  readonly deadlineMs: number;
};

function deletedSince(world: World, at: { person: Person; channel: string }, revision: number): readonly string[] {
  const id = at.person.channelId(at.channel);
  return world.state.deletions
    .filter((gone) => gone.revision > revision && gone.channel === id)
    .filter((gone) => gone.ephemeralTo === undefined || gone.ephemeralTo === at.person.id)
    .map(() => "(a message was deleted)");
}

/** "Close" or "Show preview" as an argument in a shell. */
function quoted(label: string): string {
  return /^[\w-]+$/u.test(label) ? label : `"${label}"`;
}

/** The next steps for a person in a terminal, below a form. */
function formHint(view: View): string {
  const field = exampleField(view);
  const submit = submitLabel(view);
  const steps = [
    ...(field === undefined ? [] : [`--fill "${field}=…"`]),
    ...(submit === "" ? [] : [`--click ${quoted(submit)}`]),
  ];
  const close = `close the form with --click ${quoted(closeLabel(view))}`;
  return steps.length === 0 ? `(To go on, ${close}.)` : `(To go on, add ${steps.join(" and ")}; or ${close}.)`;
}

/** Everything that appeared or changed for a person after a revision, as text; "" if nothing did. */
export function drawChanges(world: World, at: { person: Person; channel: string }, revision: number): string {
  const changed = at.person.sees(at.channel).filter((seen) => seen.revision > revision);
  const view = at.person.modal();
  const form =
    view !== undefined && view.revision > revision ? [drawView(newPen(world.state), view), formHint(view)] : [];
  return [drawMessages(changed), ...deletedSince(world, at, revision), form.join("\n")]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Waits until the person sees something new and it has been quiet for a while, or until the deadline. */
export async function waitForChanges(world: World, isNew: () => boolean, patience: Patience): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let quiet: NodeJS.Timeout | undefined;
  const onChange = (): void => {
    if (!isNew()) return;
    clearTimeout(quiet);
    quiet = setTimeout(resolve, patience.quietMs);
  };
  const deadline = setTimeout(resolve, patience.deadlineMs);
  world.watchers.add(onChange);
  onChange();
  await promise;
  world.watchers.delete(onChange);
  clearTimeout(quiet);
  clearTimeout(deadline);
}
