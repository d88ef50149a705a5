import type { Command } from "../../commands/command.ts";
import type { AccountOwner } from "../../accounts/resolve.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Entry } from "../../commands/lookup/directory.ts";

/** The data of a person's Home tab, as far as it is known yet. */
export type HomeState = {
  /** Their account, its default region, and the region for jobs. */
  readonly account?: {
    readonly owner: AccountOwner;
    readonly username: string;
    readonly region: string;
    readonly jobsRegion: string;
  };
  /** Complete sentences: why there is no account. */
  readonly accountProblem?: string | undefined;
  /** Undefined when unknown. */
  readonly services?: readonly Entry[] | undefined;
  readonly jobs?: readonly Entry[] | undefined;
  /** From 0; a page beyond the end is the last one. */
  readonly page: number;
  /** Waiting for the workload API. */
  readonly isReading: boolean;
  /** Complete sentences: why workloads are missing, or as they were a while ago. */
  readonly apiProblem?: string | undefined;
  /** Complete sentences: why anything else is missing. */
  readonly problems: readonly string[];
  /** Their own pending requests, and those that wait for their approval. */
  readonly mine: readonly StoredChange[];
  readonly waiting: readonly StoredChange[];
  /** More requests are open than were checked for this person. */
  readonly mayWaitMore?: boolean;
  /** How requests ended, newest first. */
  readonly recent: readonly HistoryEvent[];
  /** Verbs allowed for the workloads that are shown, by `service/web`. */
  readonly mayDo: ReadonlyMap<string, readonly Pick<Command, "name" | "button">[]>;
  /** Verbs with a form that the person may use. */
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  readonly regions: readonly string[];
  readonly defaultRegion: string;
  /** When the workloads were read. */
  readonly readAt: Date;
  readonly now: Date;
};
