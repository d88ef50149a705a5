import type { Clock } from "../../workflow/ports.ts";

/** Pauses before something is sent again that found no connection to Slack. Outages of some seconds are common. */
const AGAIN_AFTER_MS = [2_000, 5_000, 10_000];

/** Tries until there was a connection, for what nobody else would send: answers to reads, and Home. */
export async function whenConnected<Result>(
  { wait }: Pick<Clock, "wait">,
  isAway: (result: Result) => boolean,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (const ms of AGAIN_AFTER_MS) {
    const result = await attempt();
    if (!isAway(result)) return result;
    await wait(ms);
  }
  return attempt();
}
