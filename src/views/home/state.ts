import type { AccountOwner } from "../../accounts/account.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Entry } from "../../commands/lookup/directory.ts";

/** What Home shows of somebody: everything there is to know, as far as it is known yet. */
export type HomeState = {
  readonly command: string;
  /** The person's real name; "" where it is not known. */
  readonly who: string;
  /** With which account Gantry acts for them, and where services are looked for when they say nothing else. */
  readonly account?: { readonly owner: AccountOwner; readonly username: string; readonly region: string };
  /** Why there is no account: complete sentences. */
  readonly accountProblem?: string | undefined;
  /** Undefined: not known. */
  readonly services?: readonly Entry[] | undefined;
  readonly jobs?: readonly Entry[] | undefined;
  /** Whether the service was asked and has not answered yet. */
  readonly isReading: boolean;
  /** Why something is missing or old: complete sentences. */
  readonly problems: readonly string[];
  /** What they asked for that waits, and what waits for their vote. */
  readonly mine: readonly StoredChange[];
  readonly waiting: readonly StoredChange[];
  /** Newest first. */
  readonly recent: readonly HistoryEvent[];
  /** What this person may do with those in trouble: verbs by `service/web`. */
  readonly mayDo: ReadonlyMap<string, readonly string[]>;
  /** Those that have a form, and that this person may use. */
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  /** Known regions, and the configured one. */
  readonly regions: readonly string[];
  readonly defaultRegion: string;
  /** When the service told what runs. */
  readonly readAt: Date;
};
