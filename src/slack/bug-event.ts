import type { NewEvent } from "../changes/history-event.ts";
import type { Deed } from "./deed.ts";
import { logEvent } from "./event.ts";
import { freshness } from "./people.ts";
import type { Shell } from "./shell.ts";

type Broken = { readonly deed: Deed; readonly verb: string; readonly reference: string };

/** What a bug of ours took from somebody stands in history, too, with the reference that they were told. Never rejects. */
export async function noteBug(shell: Shell, { deed, verb, reference }: Broken): Promise<void> {
  const { userId, teamId, channelId } = deed.place;
  const profile = await shell.people.profile(userId, freshness.reading).catch(() => undefined);
  const event: NewEvent = {
    kind: "failed",
    teamId,
    // It hangs on no card: a card tells what became of its Change, and nothing did.
    changeId: undefined,
    who: { userId, name: profile?.name ?? userId },
    channelId,
    verb,
    workload: undefined,
    account: undefined,
    rule: undefined,
    breakGlass: false,
    result: "something broke in Gantry",
    elapsedMs: undefined,
    reference,
  };
  try {
    await shell.store.addEvent(event);
    logEvent(shell, event);
  } catch (err) {
    shell.log.warn({ err, reference }, "a bug could not be written into history");
  }
}
