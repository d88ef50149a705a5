import { boundedMap } from "../../../platform/bounded-map.ts";

/**
 * The first message of the thread was deleted. Slack then posts a reply in the channel itself, and reports no error:
 * https://github.com/slackapi/python-slack-events-api/issues/87
 */
export class ThreadGone extends Error {
  override readonly name = "ThreadGone";
}

type Thread = { readonly channel: string; readonly threadTs: string };

/** Threads whose first message was deleted, so that Slack is asked once for each. */
export type GoneThreads = { readonly has: (thread: Thread) => boolean; readonly add: (thread: Thread) => void };

const MOST = 1_000;

export function createGoneThreads(): GoneThreads {
  const gone = boundedMap<string, true>(MOST);
  const keyOf = ({ channel, threadTs }: Thread): string => `${channel} ${threadTs}`;
  return {
    has: (thread) => gone.has(keyOf(thread)),
    add: (thread) => void gone.set(keyOf(thread), true),
  };
}
