import type { AccountOwner } from "../../accounts/account.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Entry } from "../../commands/lookup/directory.ts";

/** The data of a person's Home tab, as far as it is known yet. */
export type HomeState = {
  readonly command: string;
  /** The person's real name, or "". */
  readonly who: string;
  /** Their account and default region. */
  readonly account?: { readonly owner: AccountOwner; readonly username: string; readonly region: string };
  /** Complete sentences: why there is no account. */
  readonly accountProblem?: string | undefined;
  /** Undefined when unknown. */
  readonly services?: readonly Entry[] | undefined;
  readonly jobs?: readonly Entry[] | undefined;
  /** Waiting for the workload API. */
  readonly isReading: boolean;
  /** Complete sentences: why data is missing or old. */
  readonly problems: readonly string[];
  /** Their own pending Changes, and those that wait for their approval. */
  readonly mine: readonly StoredChange[];
  readonly waiting: readonly StoredChange[];
  /** Newest first. */
  readonly recent: readonly HistoryEvent[];
  /** Verbs allowed for failing workloads, by `service/web`. */
  readonly mayDo: ReadonlyMap<string, readonly string[]>;
  /** Verbs with a form that the person may use. */
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  readonly regions: readonly string[];
  readonly defaultRegion: string;
  /** When the workloads were read. */
  readonly readAt: Date;
};
