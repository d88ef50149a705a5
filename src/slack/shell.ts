import type { Logger } from "pino";
import type { Api, ApiAccount } from "../api/client.ts";
import type { Ask } from "../commands/ask.ts";
import type { Context, Settings } from "../commands/command.ts";
import type { Directory } from "../commands/directory.ts";
import type { Store } from "../store/store.ts";
import type { Inflight } from "./inflight.ts";
import type { Place } from "./place.ts";
import type { Poster } from "./post.ts";
import type { Seen } from "./seen.ts";

/** Everything the shell works with; handlers are functions of it. */
export type Shell = {
  readonly api: Api;
  readonly account: ApiAccount;
  readonly settings: Settings;
  readonly directory: Directory;
  readonly store: Store;
  readonly poster: Poster;
  readonly inflight: Inflight;
  readonly seen: Seen;
  readonly log: Logger;
  readonly now: () => Date;
  /** Between a write and its read-back. */
  readonly wait: (ms: number) => Promise<void>;
  /** Short enough to be read out, long enough to be found in a log. */
  readonly newReference: () => string;
};

/** An Ask on its way, with the place its answer goes to. */
export type Asked = { readonly ask: Ask; readonly place: Place };

/** What a verb is given; made anew for each Ask, since the clock and the count move on. */
export function contextFor(shell: Shell, { place }: Pick<Asked, "place">, signal: AbortSignal): Context {
  const { account, settings, directory } = shell;
  return {
    api: shell.api.as(account),
    account: {
      username: account.username,
      maskedToken: masked(account.token),
      calls: shell.api.callsToday(account.username),
    },
    directory,
    settings,
    asker: { userId: place.userId, channelId: place.channelId },
    now: shell.now(),
    signal,
  };
}

/** Enough to tell two tokens apart, and of a short one nothing. */
function masked(token: string): string {
  return token.length < 16 ? "…" : `…${token.slice(-4)}`;
}
