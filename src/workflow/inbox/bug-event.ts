import type { Interaction } from "./interaction.ts";
import { logEvent, placeEvent } from "../history.ts";
import { freshness } from "../../slack/directory/people.ts";
import type { Shell } from "../shell.ts";

type Broken = { readonly interaction: Interaction; readonly verb: string; readonly reference: string };

/** What a bug of ours took from somebody stands in history, too, with the reference that they were told. Never rejects. */
export async function noteBug(shell: Shell, { interaction, verb, reference }: Broken): Promise<void> {
  const { origin } = interaction;
  const { userId } = origin;
  const profile = await shell.people.profile(userId, freshness.reading).catch(() => undefined);
  // It hangs on no card: a card tells what became of its Change, and nothing did.
  const who = { userId, name: profile?.name ?? userId };
  const event = placeEvent(origin, who, { kind: "failed", verb, result: "something broke in Gantry", reference });
  try {
    await shell.store.addEvent(event);
    logEvent(shell, event);
  } catch (err) {
    shell.log.warn({ err, reference }, "a bug could not be written into history");
  }
}
