import { previewBlocks } from "../../views/forms/form-view.ts";
import type { WorkspaceParts } from "../parts.ts";
import type { Ask } from "../../ask.ts";
import { section, type Block, context } from "../../views/kit/blocks.ts";
import { refusalMessage } from "../../views/messages/error-messages.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { failureMessage, createReply } from "../../workflow/reply.ts";
import type { Origin } from "../../workflow/origin.ts";
import { drawForm, type OpenedForm, withChoiceShown } from "./draw-form.ts";
import { drawRead, type ViewVersion } from "./open-form.ts";
import { valuesDigest, SentForm } from "./form-metadata.ts";
import { afterAck, type Drawn, drawView } from "./update-view.ts";
import { proposeChange, type Proposal } from "../../commands/lookup/authorize.ts";
import { recordRefusal } from "../../workflow/history.ts";
import { endView, placedInForm } from "../../views/forms/modal.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import type { Answering } from "../../workflow/inbox/interaction.ts";

type Previewing = OpenedForm & { readonly version: ViewVersion; readonly ask: Ask; readonly origin: Origin };

/**
 * Shows above the fields of a submitted form what it would do; submitting it again does it. Values changed after that get a
 * new preview. Nothing is stored or sent.
 */
export function previewLater(deps: WorkspaceParts, previewing: Previewing): void {
  const { version, command, origin } = previewing;
  const draw = (view: object): Promise<void> => drawRead(deps, { version, command, metadata: { origin } }, view);
  const isTaken = deps.lanes.add({ lane: "people", owner: origin.userId }, async (signal) => {
    const { blocks, submit, needsReason = false } = await previewOf(deps, previewing, signal);
    const shown = withChoiceShown(previewing);
    const previewed = submit === undefined ? undefined : valuesDigest(previewing.values);
    const { previewed: _before, ...rest } = shown.metadata;
    const metadata = { ...rest, needsReason, ...(previewed !== undefined && { previewed }) };
    await draw(drawForm({ ...shown, metadata }, { above: blocks, ...(submit !== undefined && { submit }) }));
  });
  if (isTaken) return;
  deps.lanes.background(draw(drawForm(withChoiceShown(previewing), { above: sentences.busy().blocks })));
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
    const needsReason = verdict.kind === "approve" && verdict.terms.reasonRequired;
    const missing = needsReason && ask.reason === undefined ? [reasonMissing] : [];
    return { blocks: [...blocks, ...missing], submit: submits[verdict.kind] ?? command.form.submit, needsReason };
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

type Stored = { readonly form: unknown; readonly origin: Origin };

/**
 * Answers in the form that was sent: a refusal above everything that was typed, or the outcome in its place, or a question,
 * whose buttons are in a message. People who closed it in the meantime are answered where they asked.
 */
export function createFormReply(
  deps: Pick<WorkspaceParts, "clock" | "messenger" | "responder" | "settings">,
  { form: stored, origin }: Stored,
): Answering {
  const beside = createReply(deps.responder, origin);
  const form = SentForm.safeParse(stored).data;
  const command = form === undefined ? undefined : formCommand(form.metadata.verb);
  if (form === undefined || command === undefined) return beside;
  const { title } = command.form;
  const { viewId, values } = form;
  const ackedAt = deps.clock.elapsedMs();
  const show = async (view: object): Promise<Drawn> => {
    await afterAck(deps, ackedAt);
    return drawView(deps.messenger, { viewId }, view);
  };
  const stillOpen = (): Parameters<typeof drawForm>[0] => {
    const { previewed: _previewed, ...rest } = form.metadata;
    // The person may have to fill in a rarer field: a reason, another channel.
    return withChoiceShown({ command, values, metadata: { ...rest, isMore: true } });
  };
  return {
    async send(post, how) {
      const blocks =
        how === "question" ? [...post.blocks, context("Answer it in the message where you asked.")] : post.blocks;
      const view = how === "refused" ? drawForm(stillOpen(), { above: blocks }) : endView({ title, post: { blocks } });
      // The end of a form has no buttons.
      if ((await show(view)).kind !== "drawn" || how === "question") await beside.send(post, how);
    },
    async requested(change) {
      const post = placedInForm({ change, defaultRegion: deps.settings.region });
      const drawn = await show(endView({ title, post }));
      // An open form would say for ever that the request is being sent. A closed one needs nothing.
      const isClosed = drawn.kind === "failed" && drawn.failure.kind === "gone";
      if (drawn.kind !== "drawn" && !isClosed) await beside.send(post, "done");
    },
    undelivered: beside.undelivered,
  };
}
