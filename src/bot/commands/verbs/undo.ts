import { z } from "zod";
import type { Change } from "../../changes/change.ts";
import { isReported, updatableFields } from "../../changes/updatable-fields.ts";
import { partsOf, type StoredChange } from "../../changes/stored-change.ts";
import { openButton, requestButton } from "../../views/kit/ask-buttons.ts";
import { actions, askButton, context as note, section, suggesting } from "../../views/kit/blocks.ts";
import { historyLine, historyText } from "../../views/cards/history-line.ts";
import { type Message, post } from "../../views/kit/post.ts";
import { truncate, visible } from "../../views/kit/text.ts";
import type { Ask } from "../../ask.ts";
import type { Undoable, VerbContext } from "../command.ts";
import { workloadField } from "../forms/form.ts";
import { unableTo } from "../lookup/authorize.ts";
import { rollback } from "./deploy/rollback.ts";
import { isNoName } from "../grammar/manners.ts";
import { Target } from "../grammar/argument-types.ts";
import { readVerb } from "../grammar/verb.ts";

/** Only offers: the button is the Undo of the request's card. */
export const undo = readVerb({
  name: "undo",
  helpGroup: "Change",
  summary: "Offer to undo your newest change",
  example: "undo web",
  aliases: ["revert"],
  phrases: [
    [
      "undo all|(undo|rollback|take back) [it] [set|history|request|scale|scaling|step|action|command|one|KINDS]|undo what [is]",
      "undo",
    ],
    [
      "(undo|rollback|take back) (set|history|scale|scaling|step|action|command) NAME|undo NAME|(put|scale|set) back NAME",
      "undo NAME",
    ],
    ["(undo|rollback) [request] ID", "undo ID"],
  ],
  words: { name: "[NAME|ID]" },
  args: z.object({ name: Target.optional() }),
  form: {
    title: "Undo a change",
    submit: "Continue",
    fields: () => [{ ...workloadField, hint: "Default: your newest change." }],
  },
  async answer({ name: typed }, context) {
    const { records, ask, now, defaultRegion } = context;
    // "undo that"
    const name = typed !== undefined && isNoName(typed.name) ? undefined : typed;
    const found = await records.undoable((change) => name === undefined || isAbout(change, name));
    return found === undefined ? nothingToUndo(name, context) : offer(found, { ask, now, defaultRegion });
  },
});

function isAbout(change: StoredChange, { kind, name }: Target): boolean {
  if (change.id === name.toUpperCase()) return true;
  return partsOf(change).some(
    ({ workload }) => workload.name === name && (kind === undefined || workload.kind === kind),
  );
}

function offer({ change, event }: Undoable, { ask, now, defaultRegion }: Drawing): Message {
  const drawing = { now, defaultRegion, detail: "brief" } as const;
  const title = "Undo this change?";
  return post(`${title} ${historyText(event, drawing)}`, [
    section(title, historyLine(event, drawing)),
    note(`Nothing changes until you click Undo · Request ${change.id}`),
    ...suggesting(requestButton("undo", change.id, { isBeside: true }), recent(ask)),
  ]);
}

type Drawing = Pick<VerbContext, "ask" | "now" | "defaultRegion">;

async function nothingToUndo(name: Target | undefined, context: VerbContext): Promise<Message> {
  const { ask } = context;
  const of = name === undefined ? "" : ` of ${truncate(visible(name.name), 63)}`;
  const sentence = `None of your latest changes${of} can be undone. Nothing was changed.`;
  const next =
    "A restart, a rollback, a creation and a deletion can't be undone, nor a change of what the workload API didn't report. " +
    "A change is undone once.";
  return post(`${sentence} ${next}`, [
    section(sentence, next),
    ...actions(await backInstead(name, context), recent(ask)),
  ]);
}

/** "revert web" may mean the version that somebody else deployed. */
async function backInstead(name: Target | undefined, context: VerbContext) {
  if (name === undefined || name.kind === "job" || (await unableTo(rollback, context)) !== undefined) return undefined;
  const { region } = context.ask;
  return openButton("Roll back…", { verb: "rollback", values: { name: `service/${name.name}` }, region });
}

function recent(ask: Ask) {
  return askButton("Recent requests", { ...ask, verb: "history", args: {} });
}

/** Why a Change can't be taken back: what it replaced wasn't reported, or isn't wanted. Undefined for other reasons. Pure. */
export function whyNoUndo(change: Change): string | undefined {
  const { call, before } = change;
  if (call.op === "updateService" && call.body.revision !== undefined) {
    const left = before?.revision === undefined ? "a version" : `version ${before.revision}`;
    return `It went back from ${left}, and undo doesn't lead there again. Choose a version, or deploy one.`;
  }
  const lost = updatableFields(change, change.before)
    .filter(({ wanted, before }) => wanted !== undefined && !isReported(before))
    .map(({ label }) => label);
  return lost.length === 0 ? undefined : `The workload API didn't report the earlier ${lost.join(" and ")}.`;
}
