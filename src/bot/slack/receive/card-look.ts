import type { Ask } from "../../ask.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import type { Card, StoredChange } from "../../changes/stored-change.ts";
import type { Message } from "../../views/kit/message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { answerRead } from "../../workflow/answer/answer-read.ts";
import { findVisibleChange } from "../../workflow/access/find-visible-change.ts";
import { decisionPost } from "../../workflow/decide.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Settings } from "../../commands/command.ts";
import type { DepsOf } from "../deps-of.ts";

export type CardLookDeps = DepsOf<typeof answerRead | typeof findVisibleChange> & {
  readonly lanes: Pick<Lanes, "add">;
  readonly settings: Settings;
};

type Look = { readonly verb: "show" | "logs"; readonly changeId: string };

type Looking = Look & {
  readonly card: Card | undefined;
  readonly origin: Origin;
  readonly tell: (message: Message) => Promise<unknown>;
};

/** The look that a card's button or its menu asks for; undefined for other actions. */
export function lookOf(about: string, value: string): Look | undefined {
  if (about === "show" || about === "logs") return { verb: about, changeId: value };
  const [verb, changeId = ""] = about === "look" ? value.split(" ", 2) : [];
  return verb === "show" || verb === "logs" ? { verb, changeId } : undefined;
}

/** Shows the workload of a card, or its log, to whoever clicks, with their own rights. The card stays. */
export async function onCardLook(deps: CardLookDeps, looking: Looking): Promise<void> {
  const { verb, changeId, card, origin, tell } = looking;
  const known = await findVisibleChange(deps, { changeId, card, origin });
  if ("missing" in known) return void (await tell(decisionPost(deps.settings, known.missing)));
  const ask = askFor(verb, known.change);
  const command = commandOf(ask);
  if (command.effect !== "read") throw new Error(`${verb} is no read`);
  const isTaken = deps.lanes.add({ lane: "people", owner: origin.userId }, (signal) =>
    answerRead(deps, { command, ask, origin }, signal),
  );
  if (!isTaken) await tell(sentences.busy());
}

function askFor(verb: Look["verb"], { workload }: StoredChange): Ask {
  const { kind, name, region } = workload;
  return { verb, share: false, args: { name: `${kind}/${name}` }, ...(kind === "service" && { region }) };
}
