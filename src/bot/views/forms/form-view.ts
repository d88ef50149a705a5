import type { ModalView, InputBlock } from "@slack/types";
import type { FormField, FormValues } from "../../commands/forms/form.ts";
import type { Command, Form } from "../../commands/command.ts";
import type { Change } from "../../changes/change.ts";
import type { Terms, Verdict } from "../../policy/policy.ts";
import { actionWords, termsWords } from "../cards/change-words.ts";
import type { CanApprove } from "../cards/change-facts.ts";
import { diffList } from "../cards/diff.ts";
import { actionButton, actions, divider, listed, type Line, section, type Block } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";
import type { Names } from "../kit/post.ts";
import { counted, namesAnd, truncate } from "../kit/text.ts";
import { nothingToDo } from "../messages/request-answers.ts";
import { modal } from "./modal.ts";
import { formInput } from "./form-element.ts";

export type FormViewInput = {
  readonly verb: string;
  readonly form: Pick<Form, "title" | "submit">;
  /** The fields for the current values, in order. */
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  /** Complete sentences about data that was read. */
  readonly notes: readonly Line[];
  /** At the top: problems, or a preview. */
  readonly above: readonly Block[];
  /** Whether "More settings" was clicked. */
  readonly isMore: boolean;
  /** Asks for a channel for a command that does this, when it was opened outside of one. */
  readonly asksWhere: Command["effect"] | undefined;
  /** By field: see `blockIdOf`. */
  readonly generations: Readonly<Record<string, number>>;
  /** Comes back with each click and the submission; at most 3,000 characters. */
  readonly metadata: string;
};

const NOTES = 10;
const NOTE = 900;
/** Bytes of JSON for all fields with their values; Slack allows 250,000 for a view. https://docs.slack.dev/reference/methods/views.open */
const ROOM = 200_000;

/** The form of a verb: problems or preview, notes, fields, and a button for rarely used fields. */
export function formView(input: FormViewInput): ModalView {
  const { verb, form, metadata, values } = input;
  // A rarely used field with a value is always shown.
  const shown = input.fields.filter(({ id, isMore }) => input.isMore || isMore !== true || valueOf(values, id) !== "");
  const notes = input.notes.slice(0, NOTES);
  return modal({
    title: form.title,
    close: "Cancel",
    form: { callbackId: `form:${verb}`, submit: form.submit, metadata },
    blocks: [
      ...input.above,
      ...listed(notes.map((each) => (typeof each === "string" ? truncate(each, NOTE) : each))),
      ...inputs(shown, input),
      ...(input.asksWhere === undefined ? [] : [channelInput(input.asksWhere, valueOf(values, CHANNEL_FIELD))]),
      ...(shown.length < input.fields.length ? actions(moreButton) : []),
    ],
  });
}

const moreButton = actionButton({ label: "More settings", action: { kind: "moreSettings" }, value: "more" });

function valueOf(values: FormValues, id: string): string {
  return (Object.hasOwn(values, id) ? values[id] : undefined) ?? "";
}

/** A value that would make the view too large for Slack is left out. */
function inputs(fields: readonly FormField[], { values, generations }: FormViewInput): Block[] {
  const focused = fields.find((field) => field.isOptional !== true && valueOf(values, field.id) === "");
  let room = ROOM;
  return fields.map((field) => {
    const generation = (Object.hasOwn(generations, field.id) ? generations[field.id] : undefined) ?? 0;
    const drawing = { generation, isFocused: field === focused };
    const full = formInput(field, { ...drawing, value: valueOf(values, field.id) });
    const size = Buffer.byteLength(JSON.stringify(full));
    if (size > room) return formInput(field, { ...drawing, value: "" });
    room -= size;
    return full;
  });
}

const CHANNEL_FIELD = "channel";

const answered = { hint: "Only you see the answer there. Default: your messages with Gantry.", isOptional: true };

/** By what the command does with the channel. Nobody can approve a change in a direct message, so a card needs one. */
const channelFields: Readonly<Record<Command["effect"], typeof answered>> = {
  write: { hint: "Where the approval card and the outcome are posted.", isOptional: false },
  bind: { hint: "The channel to change.", isOptional: false },
  link: { hint: "Only for the account of a channel.", isOptional: true },
  read: answered,
  watch: answered,
  status: answered,
  decide: answered,
};

/** For forms that are opened outside of a channel. The person must be a member of the channel they choose. */
function channelInput(effect: Command["effect"], value: string): InputBlock {
  const input = { kind: "channel", isCurrent: true } as const; // a literal kind
  return formInput({ id: CHANNEL_FIELD, label: "Channel", ...channelFields[effect], input }, { value });
}

export type FormPreview = {
  readonly change: Change;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
  /** Who could approve now; undefined when no approval is needed, or Slack can't be asked. */
  readonly approvers: CanApprove | undefined;
  readonly defaultRegion?: string | undefined;
  /** Group handles and approvers' names by id. */
  readonly names?: Names;
};

/**
 * A preview above the fields of a form: the change in words, and the policy's answer. Never shows the Call, which can
 * contain values of environment variables.
 */
export function previewBlocks(preview: FormPreview): Block[] {
  const { change, defaultRegion } = preview;
  const { call, workload, diff } = change;
  if (diff.length === 0) return [...nothingToDo(change).blocks, divider];
  return [
    section([strong("Preview: "), ...actionWords({ op: call.op, workload, diff }, defaultRegion)]),
    ...diffList(diff),
    policyWords(preview),
    divider,
  ];
}

function policyWords({ verdict, approvers, names = {} }: FormPreview): Block {
  switch (verdict.kind) {
    case "allow":
      return section("✅ Runs immediately. No approval needed.");
    case "break-glass":
      return section("🚨 Runs immediately without approval (break glass). The channel is notified.");
    case "approve":
      return section(
        [words("⏳ Needs "), ...termsWords({ ...verdict.terms, mention: "all" }, names), words(".")],
        ...canApprove(verdict.terms, approvers),
      );
  }
}

function canApprove({ votes, selfApproval }: Terms, approvers: FormPreview["approvers"]): Line[] {
  if (approvers === undefined) return [];
  const { count } = approvers;
  const names = approvers.names.slice(0, 6);
  const who = namesAnd({ names, count });
  // Unless not everybody was looked up.
  if (count !== undefined && count + (selfApproval ? 1 : 0) < votes) {
    const only = names.length === 0 ? "nobody" : `only ${who}`;
    return [[words(`⚠️ Needs ${counted(votes, "approval")}, but ${only} can approve right now.`, 600)]];
  }
  return names.length === 0 ? [] : [[words(`Can approve now: ${who}.`, 600)]];
}
