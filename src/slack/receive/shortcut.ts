import { z } from "zod";
import { workloadInText } from "../../commands/lookup/workload-in-text.ts";
import { section } from "../../views/kit/blocks.ts";
import { skeletonView } from "../../views/forms/form-states.ts";
import type { Ack } from "./ack.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { drawForm, type OpenedForm } from "../modals/draw-form.ts";
import { fillLater, openVerbForm } from "../modals/open-form.ts";
import { newMetadata } from "../modals/form-metadata.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { openForm, updateForm } from "../modals/update-view.ts";
import { liveWorkloads } from "../../workflow/live-workloads.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";

/**
 * https://docs.slack.dev/interactivity/implementing-shortcuts: a global one knows no channel, one of a message brings the
 * message and a response_url.
 */
const Shortcut = z.object({
  type: z.string(),
  callback_id: z.string().default(""),
  trigger_id: z.string().default(""),
  user: z.object({ id: z.string() }),
  team: z.object({ id: z.string() }).nullish(),
  channel: z.object({ id: z.string() }).optional(),
  message: z.object({ text: z.string().default(""), ts: z.string(), thread_ts: z.string().optional() }).optional(),
  response_url: z.string().optional(),
});
type Shortcut = z.infer<typeof Shortcut>;

/** Which verb's form each shortcut of the manifest opens, by its callback_id. */
export const shortcutVerbs: Readonly<Record<string, string>> = {
  create_workload: "create",
  find_workload: "show",
  logs_into_thread: "logs",
  act_on_workload: "show",
};

/** A shortcut: the form of a verb. One of a message already holds the workload that the message seems to be about. */
export async function onShortcut(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  const used = Shortcut.parse(body);
  await ack();
  const origin = originOf(shell, used);
  if (shell.lanes.isStopping()) return shell.poster.tell(sentences.restarting(), origin);
  if (shell.repeats.isRepeat(used.trigger_id)) return undefined;
  const command = formCommand(shortcutVerbs[used.callback_id] ?? "");
  if (command === undefined) return shell.poster.tell(sentences.unknownShortcut(shell.settings.command), origin);
  const { trigger_id: triggerId, message } = used;
  if (message === undefined) return openVerbForm(shell, { command, values: {}, origin, triggerId });
  const opened: OpenedForm = { command, values: {}, metadata: newMetadata(command, origin) };
  const view = skeletonView({ title: command.form.title, sentence: "Looking which workload this message is about…" });
  const viewId = await openForm(shell, { triggerId, view, origin });
  if (viewId === undefined) return undefined;
  guessLater(shell, { ...opened, viewId, text: message.text });
}

/** Lists for a guess may take longer than a click: nothing but the skeleton waits for them. */
const LIST_WITHIN_MS = 5_000;
const FRESH_MS = 60_000;

type Guessing = OpenedForm & { readonly viewId: string; readonly text: string };

function guessLater(shell: Shell, guessing: Guessing): void {
  const { viewId, metadata } = guessing;
  const isTaken = shell.lanes.add({ lane: "people", owner: metadata.origin.userId }, async (signal) => {
    const guess = await guessOf(shell, guessing, signal);
    const note = guess === undefined ? "The message names no workload that Gantry knows: choose one." : undefined;
    const values = guess === undefined ? {} : { name: guess };
    if (guess !== undefined && guessing.command.form.prefill !== undefined) {
      return fillLater(shell, { ...guessing, values, isNew: true });
    }
    await updateForm(shell, viewId, drawForm({ ...guessing, values }, { notes: note === undefined ? [] : [note] }));
  });
  if (isTaken) return;
  const above = [section("⚠️ Gantry has too much to do to look which workload this is: choose one.")];
  void shell.lanes.track(updateForm(shell, viewId, drawForm(guessing, { above })));
}

/** The workload that the text names, `service/web`; undefined where it names none, or the service does not tell. */
async function guessOf(shell: Shell, { text, metadata }: Guessing, signal: AbortSignal): Promise<string | undefined> {
  try {
    const context = await contextFor(shell, { origin: metadata.origin, effect: "read" }, signal);
    const { region } = context.settings;
    const wanted = { of: "any", region, freshMs: FRESH_MS, withinMs: LIST_WITHIN_MS } as const;
    const { services, jobs } = await liveWorkloads(shell, context, wanted);
    return workloadInText(text, { services: services?.entries ?? [], jobs: jobs?.entries ?? [] });
  } catch (err) {
    shell.log.warn({ err }, "a workload could not be guessed");
    return undefined;
  }
}

function originOf({ identity }: Shell, used: Shortcut): Origin {
  const { user, team, channel, message, response_url, callback_id } = used;
  const userId = user.id;
  const teamId = identity.teamId() ?? team?.id ?? "";
  if (channel === undefined) return { userId, teamId, channelId: userId };
  // What is shown is for who asked, and Slack shows that in no thread; lines of a log are for all who read the thread.
  const threadTs = callback_id === "logs_into_thread" ? (message?.thread_ts ?? message?.ts) : undefined;
  return {
    userId,
    teamId,
    channelId: channel.id,
    responseUrl: response_url,
    ...(threadTs !== undefined && { threadTs, isNewThread: message?.thread_ts === undefined }),
  };
}
