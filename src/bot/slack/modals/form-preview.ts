import { previewBlocks } from "../../views/forms/form-view.ts";
import type { WorkspaceParts } from "../parts.ts";
import type { Ask } from "../../ask.ts";
import { section, type Block } from "../../views/kit/blocks.ts";
import { refusalMessage } from "../../views/messages/error-messages.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { failureMessage } from "../../workflow/reply.ts";
import type { Origin } from "../../workflow/origin.ts";
import { drawForm, type OpenedForm, withChoiceShown } from "./draw-form.ts";
import type { ViewVersion } from "./fill-form.ts";
import { valuesDigest } from "./form-metadata.ts";
import { afterAck, drawFinal } from "./update-view.ts";
import { proposeChange, type Proposal } from "../../commands/lookup/authorize.ts";
import { recordRefusal } from "../../workflow/history.ts";

type Previewing = OpenedForm & { readonly version: ViewVersion; readonly ask: Ask; readonly origin: Origin };

/**
 * Shows above the fields of a submitted form what it would do; submitting it again does it. Values changed after that get a
 * new preview. Nothing is stored or sent.
 */
export function previewLater(deps: WorkspaceParts, previewing: Previewing): void {
  const isTaken = deps.lanes.add({ lane: "people", owner: previewing.origin.userId }, async (signal) => {
    const { blocks, submit, needsReason = false } = await previewOf(deps, previewing, signal);
    const shown = withChoiceShown(previewing);
    const previewed = submit === undefined ? undefined : valuesDigest(previewing.values);
    const { previewed: _before, needsReason: _needed, ...rest } = shown.metadata;
    const metadata = { ...rest, needsReason, ...(previewed !== undefined && { previewed }) };
    const view = drawForm({ ...shown, metadata }, { above: blocks, ...(submit !== undefined && { submit }) });
    await drawPreview(deps, previewing, view);
  });
  if (isTaken) return;
  const view = drawForm(withChoiceShown(previewing), { above: sentences.busy().blocks });
  deps.lanes.background(drawPreview(deps, previewing, view));
}

/** Skips the draw if a click since the submission has drawn something newer. */
async function drawPreview(
  deps: Pick<WorkspaceParts, "clock" | "messenger" | "responder">,
  previewing: Previewing,
  view: object,
): Promise<void> {
  const { version, command, origin } = previewing;
  const { viewId, isCurrent, ackedAt = 0 } = version;
  await afterAck(deps, ackedAt);
  if (isCurrent()) await drawFinal(deps, { viewId, title: command.form.title, origin }, view);
}

/** `submit` is the label of the button below it; undefined when the form can't be sent like this. */
type Preview = {
  readonly blocks: readonly Block[];
  readonly submit: string | undefined;
  readonly needsReason?: boolean;
};

async function previewOf(
  deps: WorkspaceParts,
  { command, ask, origin }: Previewing,
  signal: AbortSignal,
): Promise<Preview> {
  try {
    if (command.effect !== "write") throw new Error(`${command.name} changes nothing, so it has no preview`);
    const context = await contextFor(deps, { origin, effect: "write" }, signal);
    const { command: slash, region: defaultRegion } = deps.settings;
    const judged = await proposeChange(command, ask, context);
    if (judged.kind === "refused") {
      const { asker: who, account } = context;
      await recordRefusal(deps, { ...judged, verb: command.name, origin, who, account: account.username });
      const { blocks } = refusalMessage({ kind: "policy", verdict: judged.refusal, command: slash });
      return { blocks, submit: undefined };
    }
    if (judged.kind === "impossible") {
      const { blocks } = refusalMessage({ kind: "api", why: judged.why, others: [] });
      return { blocks, submit: undefined };
    }
    const { change, verdict } = judged;
    // Left out when Slack can't say: it is asked again when the request is made.
    const approvers =
      verdict.kind === "approve"
        ? await context.permissions.approvers(verdict.terms.from).catch(() => undefined)
        : undefined;
    const blocks = previewBlocks({ change, verdict, approvers, defaultRegion });
    if (change.diff.length === 0) return { blocks, submit: undefined };
    const isReasonMissing = verdict.kind === "approve" && verdict.terms.reasonRequired && ask.reason === undefined;
    if (isReasonMissing)
      return { blocks: [...blocks, reasonMissing], submit: submits[verdict.kind], needsReason: true };
    return { blocks, submit: submits[verdict.kind] ?? command.form.submit };
  } catch (error) {
    const { blocks } = failureMessage(deps, error, { verb: command.name, effect: "read" });
    return { blocks, submit: undefined };
  }
}

const reasonMissing = section("⚠️ Approvers need a reason. Enter one below.");

type Verdict = Extract<Proposal, { kind: "proposed" }>["verdict"];

const submits: Readonly<Record<Verdict["kind"], string | undefined>> = {
  allow: undefined,
  "break-glass": "Run without approval",
  approve: "Request approval",
};
