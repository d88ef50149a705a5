import { newReference } from "../../../platform/log.ts";
import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import type { Action } from "../../views/kit/action-id.ts";
import type { Ask } from "../../ask.ts";
import { connectForm } from "../../views/forms/connect-form.ts";
import { NO_REGION } from "../../views/home/view.ts";
import { isMenuVerb, workloadOfBlock } from "../../views/home/workloads.ts";
import { openForm } from "../modals/update-view.ts";
import { openVerbForm } from "../modals/open-form.ts";
import { ANY_AGE_MS, homeLater } from "./draw.ts";
import { onReadClick } from "../receive/read-click.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { linkOwner } from "../../workflow/propose/link.ts";

type Clicked = {
  readonly act: (Action & { readonly kind: "home" })["act"];
  readonly blockId: string;
  readonly value: string;
  readonly origin: Origin;
  readonly triggerId: string;
};

/** The click was acked before this: none of these changes a workload. */
export async function onHomeClick(deps: WorkspaceParts, clicked: Clicked): Promise<void> {
  const { act, value, origin, triggerId } = clicked;
  switch (act) {
    case "refresh":
      return homeLater(deps, origin);
    case "previous":
    case "next":
      // The list that the page was drawn from is good enough for the next page.
      return homeLater(deps, { ...origin, homePage: Number(PageNumber.safeParse(value).data ?? 0) }, ANY_AGE_MS);
    case "workload":
      return chooseForWorkload(deps, clicked);
    case "region":
      return chooseRegion(deps, value, origin);
    case "connect": {
      const metadata = JSON.stringify({ whose: "mine", origin });
      await openForm(deps, { triggerId, view: connectForm({ owner: linkOwner("mine", origin), metadata }), origin });
      return;
    }
    case "do": {
      await doVerb(deps, { value, origin, triggerId });
      // Redrawing clears the menu, so the same verb can be chosen again.
      return homeLater(deps, origin, ANY_AGE_MS);
    }
  }
}

const PageNumber = z.string().regex(/^\d{1,6}$/u);

/** Runs a read on the workload beside the menu, or opens the form of a write. Policy is asked there, as always. */
async function chooseForWorkload(deps: WorkspaceParts, { blockId, value, origin, triggerId }: Clicked): Promise<void> {
  const workload = workloadOfBlock(blockId);
  if (workload === undefined || !isMenuVerb(value)) {
    return deps.responder.tellPatiently(sentences.staleButton(deps.settings.command), origin);
  }
  const { name } = workload;
  // Jobs have only one region.
  const where = name.startsWith("job/") ? {} : { region: workload.region };
  const command = formCommand(value);
  if (command?.effect === "read") return readNow(deps, { verb: value, ...where, args: { name } }, origin);
  if (command !== undefined) await openVerbForm(deps, { command, values: { name, ...where }, origin, triggerId });
}

type Read = { readonly verb: string; readonly region?: string; readonly args: Ask["args"] };

async function readNow(deps: WorkspaceParts, read: Read, origin: Origin): Promise<void> {
  await onReadClick(deps, { value: { ...read, share: false }, origin });
}

/** Opens the verb's form; a read without a form runs at once. */
async function doVerb(
  deps: WorkspaceParts,
  { value, origin, triggerId }: Omit<Clicked, "act" | "blockId">,
): Promise<void> {
  const command = formCommand(value);
  if (command !== undefined) return openVerbForm(deps, { command, values: {}, origin, triggerId });
  await readNow(deps, { verb: value, args: {} }, origin);
}

/** Sets this person's default region. */
async function chooseRegion(deps: WorkspaceParts, value: string, origin: Origin): Promise<void> {
  const region = value === NO_REGION ? undefined : value;
  try {
    await deps.lanes.track(deps.store.setRegion(origin.teamId, origin.userId, region));
    deps.accounts.forget();
  } catch (error) {
    const reference = newReference();
    deps.log.error({ err: error, reference }, "a setting could not be stored");
    await deps.responder.tellPatiently(sentences.notStored(reference, deps.settings.command), origin);
    return;
  }
  // Another region has other pages.
  homeLater(deps, { ...origin, homePage: 0 });
}
