import type { Ask } from "../../commands/ask.ts";
import type { Context } from "../../commands/command.ts";
import { proposeChange, type Proposal } from "../../commands/lookup/authorize.ts";
import { section } from "../../views/kit/blocks.ts";
import { previewBlocks } from "../../views/forms/form-preview.ts";
import type { Block } from "../../views/kit/message.ts";
import { refusalMessage } from "../../views/messages/refusal-message.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { drawForm, type OpenedForm } from "./draw-form.ts";
import { valuesDigest } from "./form-metadata.ts";
import { failureMessage } from "../../workflow/failure.ts";
import { updateAcked } from "./update-view.ts";
import type { Origin } from "../../workflow/origin.ts";
import { recordRefusal } from "../../workflow/record-refusal.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";

type Previewing = OpenedForm & { readonly viewId: string; readonly ask: Ask; readonly origin: Origin };

/**
 * What the form would do, above what stands in it: it is sent once more to do it. What is changed after that is looked at
 * anew. Nothing is stored and nothing is sent for it.
 */
export function previewLater(shell: Shell, previewing: Previewing): void {
  const ackedAt = performance.now();
  const isTaken = shell.lanes.add({ lane: "people", owner: previewing.origin.userId }, async (signal) => {
    const { blocks, submit, needsReason = false } = await previewOf(shell, previewing, signal);
    const previewed = submit === undefined ? undefined : valuesDigest(previewing.values);
    const { previewed: _before, needsReason: _needed, ...rest } = previewing.metadata;
    const metadata = { ...rest, needsReason, ...(previewed !== undefined && { previewed }) };
    const view = drawForm({ ...previewing, metadata }, { above: blocks, ...(submit !== undefined && { submit }) });
    await updateAcked(shell, previewing.viewId, { view, ackedAt });
  });
  if (isTaken) return;
  const above = sentences.busy().blocks;
  const view = drawForm(previewing, { above });
  void shell.lanes.track(updateAcked(shell, previewing.viewId, { view, ackedAt }));
}

/** `submit` is what the button says then; without one it cannot be done as it stands. */
type Preview = {
  readonly blocks: readonly Block[];
  readonly submit: string | undefined;
  readonly needsReason?: boolean;
};

async function previewOf(shell: Shell, { command, ask, origin }: Previewing, signal: AbortSignal): Promise<Preview> {
  try {
    if (command.effect !== "write") throw new Error(`${command.name} changes nothing, so it has no preview`);
    const context = await contextFor(shell, { origin, effect: "write" }, signal);
    const { command: slash, region: defaultRegion } = shell.settings;
    const judged = await proposeChange(command, ask, context);
    if (judged.kind === "refused") {
      const { asker: who, account } = context;
      await recordRefusal(shell, { ...judged, verb: command.name, origin, who, account: account.username });
      const { blocks } = refusalMessage({ kind: "policy", verdict: judged.refusal, command: slash });
      return { blocks, submit: undefined };
    }
    const { change, about, verdict } = judged;
    const approvers = await approversOf(verdict, context);
    const blocks = previewBlocks({ change, risk: about.risk, verdict, approvers, command: slash, defaultRegion });
    if (change.diff.length === 0) return { blocks, submit: undefined };
    const isReasonMissing = verdict.kind === "approve" && verdict.terms.reasonRequired && ask.reason === undefined;
    if (isReasonMissing) return { blocks: [...blocks, reasonMissing], submit: undefined, needsReason: true };
    return { blocks, submit: submits[verdict.kind] };
  } catch (error) {
    const { blocks } = failureMessage(shell, error, { verb: command.name, effect: "read" });
    return { blocks, submit: undefined };
  }
}

const reasonMissing = section("⚠️ This needs a reason, for those who decide and for history: fill in “Reason”.");

type Verdict = Extract<Proposal, { kind: "proposed" }>["verdict"];

const submits: Readonly<Record<Verdict["kind"], string>> = {
  allow: "Do it",
  "break-glass": "Do it without approval",
  approve: "Ask for approval",
};

type Approvers = Awaited<ReturnType<Context["permissions"]["approvers"]>>;

/** Who could approve; what Slack does not tell is left out here, and asked again when it counts. */
async function approversOf(verdict: Verdict, { permissions }: Context): Promise<Approvers | undefined> {
  if (verdict.kind !== "approve") return undefined;
  return permissions.approvers(verdict.terms.from).catch(() => undefined);
}
