import type { Logger } from "pino";
import type { Sealer } from "../accounts/seal.ts";
import type { Api } from "../api/client.ts";
import type { Ask } from "../commands/ask.ts";
import type { Settings } from "../commands/command.ts";
import type { Directory } from "../commands/lookup/directory.ts";
import type { LogPool } from "../log-worker/log-pool.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";
import type { Accounts } from "./access/accounts.ts";
import type { Calls } from "./access/call-counts.ts";
import type { Messenger } from "../slack/send/messenger.ts";
import type { PosterAlias } from "../slack/send/poster.ts";
import type { Cards, Clock, Responder } from "./ports.ts";
import type { EnvSeen } from "./access/env-values.ts";
import type { Dropped } from "./inbox/dropped.ts";
import type { Identity } from "../slack/directory/identity.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type { People } from "../slack/directory/people.ts";
import type { Origin } from "./origin.ts";
import type { OpenViews } from "../slack/modals/open-views.ts";
import type { Repeats } from "../slack/receive/repeats.ts";
import type { SentForm } from "./inbox/interaction.ts";
import type { Reply } from "./inbox/reply.ts";
import type { Unfinished } from "./inbox/retry.ts";

/** Everything the shell works with; handlers are functions of it. */
export type Shell = {
  readonly api: Api;
  readonly accounts: Accounts;
  readonly calls: Calls;
  readonly cards: Cards;
  readonly directory: Directory;
  readonly envSeen: EnvSeen;
  readonly dropped: Dropped;
  readonly identity: Identity;
  readonly lanes: Lanes;
  /** Redacts and filters log lines off the main thread. */
  readonly logs: LogPool;
  readonly messenger: Messenger;
  readonly people: People;
  readonly policy: () => Policy;
  /** `responder` under its old names. */
  readonly poster: PosterAlias;
  readonly responder: Responder;
  readonly sealer: Sealer;
  readonly repeats: Repeats;
  readonly settings: Settings;
  readonly store: Store;
  readonly unfinished: Unfinished;
  readonly log: Logger;
  readonly clock: Clock;
  /** Answers in the form that an Ask was sent in. */
  readonly formReply: (form: SentForm, origin: Origin) => Reply;
  readonly openViews: OpenViews;
  readonly now: () => Date;
  /** Between a write and its read-back, and between looks at its health. */
  readonly wait: (ms: number) => Promise<void>;
  /** Short enough to be read out, long enough to be found in a log. */
  readonly newReference: () => string;
};

/** An Ask on its way, with the place its answer goes to. */
export type Asked = { readonly ask: Ask; readonly origin: Origin };
