import { UserError } from "../errors.ts";
import type { Context, ReadCommand } from "../commands/command.ts";
import type { Message } from "../views/message.ts";
import { refusalMessage } from "../views/refusal-message.ts";
import { contextFor } from "./context.ts";
import { failureMessage } from "./failure.ts";
import { freshness } from "./people.ts";
import type { Asked, Shell } from "./shell.ts";

type Read = Asked & { readonly command: ReadCommand };

/** Answers a read, after its ack. A failure takes nothing away: it is said beside a list that was clicked in. */
export async function answerRead(shell: Shell, { command, ask, place }: Read, signal: AbortSignal): Promise<void> {
  try {
    const context = await contextFor(shell, { place, effect: "read" }, signal);
    await checkStanding(shell, { command, ask, place });
    const refusal = await refusalOf(shell, { command, ask, place }, context);
    if (refusal !== undefined) return await shell.poster.tell(refusal, place);
    const answer = await command.answer(ask, context);
    return await shell.poster.post(answer, place, { isShared: ask.share });
  } catch (error) {
    const where = { verb: command.name, effect: command.effect };
    return shell.poster.tell(failureMessage(shell, error, where), place);
  }
}

/** What nobody needs a rule for: everybody may learn what Gantry is and what they may do; the rest is for full members. */
const forEverybody = new Set(["help", "whoami", "can-i"]);

async function checkStanding({ people }: Shell, { command, place }: Read): Promise<void> {
  if (command.deeds.length > 0 || forEverybody.has(command.name)) return;
  const { standing } = await people.profile(place.userId, freshness.reading);
  if (standing === "member") return;
  throw new UserError("Only full members of this workspace can see what was asked for and done here.", {
    next: "Ask a full member.",
  });
}

async function refusalOf(shell: Shell, { command, ask }: Read, { judge }: Context): Promise<Message | undefined> {
  const { settings } = shell;
  const about = command.about(ask, settings);
  if (about === undefined) return undefined;
  const verdict = await judge.verdict(about);
  if (verdict.kind === "allow") return undefined;
  if (verdict.kind === "refuse") return refusalMessage({ kind: "policy", verdict, command: settings.command });
  // A rule that asks for approval of a look is taken for a refusal: there is nothing to approve later.
  const why = "Looking at this takes an approval by the policy here, and a look cannot wait for one.";
  const next = "Ask those who keep the policy to allow or refuse it.";
  const refused = { kind: "refuse", rule: verdict.rule, why, next } as const;
  return refusalMessage({ kind: "policy", verdict: refused, command: settings.command });
}
