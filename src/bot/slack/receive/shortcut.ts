import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import { section } from "../../views/kit/blocks.ts";
import { skeletonView } from "../../views/forms/modal.ts";
import { originOf, Sent } from "./payload.ts";
import type { Ack } from "./transport.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { drawForm, type OpenedForm } from "../modals/draw-form.ts";
import { openVerbForm, fillLater, type ViewVersion } from "../modals/open-form.ts";
import { newMetadata } from "../modals/form-metadata.ts";
import { drawFinal, openForm } from "../modals/update-view.ts";
import { liveWorkloads } from "../../workflow/access/live-workloads.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import type { Entry } from "../../commands/lookup/directory.ts";

/**
 * https://docs.slack.dev/interactivity/implementing-shortcuts: a global shortcut has no channel, a message shortcut has the
 * message and a response_url.
 */
const Shortcut = z.object({
  type: z.string(),
  callback_id: z.string().default(""),
  trigger_id: z.string().default(""),
  ...Sent.shape,
  user: z.object({ id: z.string() }),
  message: z.object({ text: z.string().default(""), ts: z.string(), thread_ts: z.string().optional() }).optional(),
});
type Shortcut = z.infer<typeof Shortcut>;

/** The verb whose form opens, by the callback_id of the manifest's shortcuts. */
export const shortcutVerbs: Readonly<Record<string, string>> = {
  create_workload: "create",
  find_workload: "show",
  logs_into_thread: "logs",
  act_on_workload: "show",
};

/** Opens a verb's form. From a message, it is filled with the workload that the message seems to be about. */
export async function onShortcut(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const used = Shortcut.parse(body);
  await ack();
  const origin = { ...originOf(deps, used), ...threadOf(used) };
  if (deps.lanes.isStopping()) return deps.responder.tellPatiently(sentences.restarting(), origin);
  if (deps.repeats.isRepeat(used.trigger_id)) return undefined;
  const command = formCommand(shortcutVerbs[used.callback_id] ?? "");
  if (command === undefined)
    return deps.responder.tellPatiently(sentences.unknownShortcut(deps.settings.command), origin);
  const { trigger_id: triggerId, message } = used;
  if (message === undefined) return openVerbForm(deps, { command, values: {}, origin, triggerId });
  const opened: OpenedForm = { command, values: {}, metadata: newMetadata(command, origin) };
  const view = skeletonView({ title: command.form.title, sentence: "Finding the workload in this message…" });
  const open = await openForm(deps, { triggerId, view, origin });
  if (open === undefined) return undefined;
  const version = { ...open, isCurrent: deps.openViews.changed(open.viewId) };
  guessLater(deps, { ...opened, version, text: message.text });
}

/** Longer than for other clicks: the form is already open and shows that it reads. */
const LIST_WITHIN_MS = 5_000;
const FRESH_MS = 60_000;

type Guessing = OpenedForm & { readonly version: ViewVersion; readonly text: string };

function guessLater(deps: WorkspaceParts, guessing: Guessing): void {
  const { version, command, metadata } = guessing;
  const final = { ...version, title: command.form.title, origin: metadata.origin };
  const isTaken = deps.lanes.add({ lane: "people", owner: guessing.metadata.origin.userId }, async (signal) => {
    const guess = await guessOf(deps, guessing, signal);
    const note = guess === undefined ? "I couldn't find a workload in this message. Choose one." : undefined;
    const values = guess === undefined ? {} : { name: guess };
    if (guess !== undefined && guessing.command.form.prefill !== undefined) {
      return fillLater(deps, { ...guessing, values, isNew: true });
    }
    await drawFinal(deps, final, drawForm({ ...guessing, values }, { notes: note === undefined ? [] : [note] }));
  });
  if (isTaken) return;
  const above = [section("⚠️ I'm too busy to look for the workload in this message. Choose one.")];
  deps.lanes.background(drawFinal(deps, final, drawForm(guessing, { above })));
}

/** The workload named in the text, as `service/web`; undefined if there is none, or if the workload API can't be read. */
async function guessOf(
  deps: WorkspaceParts,
  { text, metadata }: Guessing,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const context = await contextFor(deps, { origin: metadata.origin, effect: "read" }, signal);
    const { region } = context.settings;
    const wanted = { of: "any", region, freshMs: FRESH_MS, withinMs: LIST_WITHIN_MS } as const;
    const { services, jobs } = await liveWorkloads(deps, context, wanted);
    return workloadInText(text, { services: services?.entries ?? [], jobs: jobs?.entries ?? [] });
  } catch (err) {
    deps.log.warn({ err }, "a workload could not be guessed");
    return undefined;
  }
}

/** Log lines are for everybody who reads the thread. Other answers are for the asker alone, outside of threads. */
function threadOf({ callback_id, channel, message }: Shortcut): Pick<Origin, "threadTs" | "isNewThread"> {
  if (channel === undefined || message === undefined || callback_id !== "logs_into_thread") return {};
  return { threadTs: message.thread_ts ?? message.ts, isNewThread: message.thread_ts === undefined };
}

type Known = { readonly services: readonly Entry[]; readonly jobs: readonly Entry[] };

/** Characters of names. A match next to one of them is part of another name. */
const PART = /[\p{L}\p{N}._-]/u;

/**
 * The workload that a text names, as `service/web`, or undefined. Pure. The longest name wins, because `web-shop`
 * contains `web`. If a service and a job share the name, it is the service, unless the text contains "job".
 */
function workloadInText(text: string, { services, jobs }: Known): string | undefined {
  const lower = text.toLowerCase();
  const all = [
    ...services.map(({ name }) => ({ kind: "service", name })),
    ...jobs.map(({ name }) => ({ kind: "job", name })),
  ].filter(({ name }) => containsName(lower, name.toLowerCase()));
  const length = Math.max(...all.map(({ name }) => name.length));
  const longest = all.filter(({ name }) => name.length === length);
  const wanted = /\bjob\b/u.test(lower) ? "job" : "service";
  const found = longest.find(({ kind }) => kind === wanted) ?? longest[0];
  return found === undefined ? undefined : `${found.kind}/${found.name}`;
}

/** True when the text contains the whole name; a full stop after it ends a sentence. */
function containsName(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text.slice(at + name.length).replace(/^[.]+(?=\s|$)/u, "");
    if (!PART.test(before) && !PART.test(after[0] ?? " ")) return true;
  }
  return false;
}
