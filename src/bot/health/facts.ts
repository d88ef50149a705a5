import { z } from "zod";
import type { RecentError } from "../../platform/log.ts";

/** It couldn't be found out. `why` ends a sentence: "it didn't answer in 3 s". */
export type Away = { readonly kind: "away"; readonly why: string };

/** Slack refuses a token, or a call; `code` is Slack's. */
export type Refused = { readonly kind: "refused"; readonly code: string };

export type SlackFacts = {
  /** The workspace's name, where there are several. */
  readonly workspace: string | undefined;
  readonly token:
    | { readonly kind: "accepted"; readonly bot: string; readonly team: string }
    | Refused
    | Away
    /** No configured key opens it. */
    | { readonly kind: "sealed" };
  /** Granted to the token; undefined when Slack doesn't say. */
  readonly scopes: readonly string[] | undefined;
  /** How far our clock is ahead of Slack's; negative when it is behind. */
  readonly aheadMs: number | undefined;
  /** Ids of the channels that the bot is in. */
  readonly channels: { readonly kind: "known"; readonly ids: readonly string[] } | Refused | Away;
  /** Ids of the user groups; undefined when Slack doesn't say. */
  readonly groups: readonly string[] | undefined;
};

export type ApiFacts =
  | {
      readonly kind: "asked";
      readonly host: string;
      readonly account: string;
      readonly region: string;
      readonly answer:
        | { readonly ok: true; readonly ms: number }
        | { readonly ok: false; readonly says: string; readonly isAccountRefused: boolean };
      readonly calls: CallFacts;
      readonly engine: EngineFacts | undefined;
    }
  /** It runs inside the bot, and only the replicas' reports tell about it. */
  | { readonly kind: "inside"; readonly account: string; readonly calls: CallFacts }
  /** Each workspace connects its own account. */
  | { readonly kind: "own"; readonly host: string; readonly connected: number; readonly workspaces: number };

/** Of one account, over all replicas, in this UTC day. */
export type CallFacts = { readonly count: number; readonly perDay: number | undefined };

export type DatabaseFacts =
  | {
      readonly kind: "open";
      readonly flavour: "sqlite" | "postgres";
      /** `3.53.1`, `17.2`. */
      readonly version: string;
      /** Why it stores nothing, though it answers: it is read-only, a standby, or full. Ends a sentence. */
      readonly refusesWrites: string | undefined;
      readonly latencyMs: number;
      /** The number of the last migration, and of the last one that this program knows. */
      readonly schema: { readonly at: number; readonly known: number };
      /** How far our clock is ahead of the database's. */
      readonly aheadMs: number;
      /** On the disk of the data folder, for SQLite. */
      readonly freeBytes: number | undefined;
    }
  | Away
  | { readonly kind: "missing"; readonly path: string };

export type OpenDatabase = Omit<Extract<DatabaseFacts, { readonly kind: "open" }>, "freeBytes">;

/** A value that a key sealed in one place of the database, and how many there are. */
export type SealedSample = {
  /** "account tokens". */
  readonly what: string;
  readonly keyId: string;
  readonly count: number;
  /** Only the newest rows were read; there may be older ones. */
  readonly isNewestOnly: boolean;
  readonly sealed: string;
  /** The list it was sealed with. */
  readonly bind: readonly string[];
};

export type StoredInstallation = {
  readonly id: string;
  /** A workspace that uses it; undefined for an organization's that none has used. */
  readonly teamId: string | undefined;
  readonly name: string;
  readonly isOrgWide: boolean;
  readonly sealedTokens: string;
};

/** The replica lease that ended last. A replica that stops removes its lease, so this one was killed or can't write. */
export type LastHeartbeat = {
  /** When it ended: ISO 8601, by the database's clock. */
  readonly overAt: string;
  /** Undefined when its report can't be read. */
  readonly host: string | undefined;
};

/** It gets history, and doesn't take it now. */
export type FailingReceiver = {
  /** `webhook`. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** Events that it hasn't taken yet. */
  readonly waiting: number;
};

/** What the store knows about itself. Only the first is there while the schema isn't this program's. */
export type Inspection = {
  readonly database: OpenDatabase;
  readonly replicas: readonly LiveReplica[];
  readonly lastHeartbeat?: LastHeartbeat | undefined;
  readonly boundChannels: readonly { readonly teamId: string; readonly channelId: string }[];
  /** Workspaces and organizations with the app, with several workspaces. */
  readonly installations: readonly StoredInstallation[];
  /** How many workspaces have connected an account for everybody. */
  readonly workspaceAccounts: number;
  readonly sealed: readonly SealedSample[];
  readonly failingReceivers: readonly FailingReceiver[];
};

/** Values that one key sealed, and whether a configured key opens the newest of them. */
export type SealedRows = Pick<SealedSample, "what" | "keyId" | "count" | "isNewestOnly"> & {
  readonly opens: "yes" | "unknown-key" | "wrong-key" | "damaged";
};

export type KeyFacts = {
  /** In order; the first seals. */
  readonly ids: readonly string[];
  readonly sealed: readonly SealedRows[];
  /** Why they can't be used, as a sentence; nothing else is known then. */
  readonly problem?: string | undefined;
  /** Others on this machine can read the key file at this path. */
  readonly exposedFile: string | undefined;
};

export type PolicyFacts = {
  /** `policy.yaml`, or the built-in policy. */
  readonly source: string;
  readonly rules: number;
  /** Why the file can't be used: its lines and sentences. */
  readonly problem: string | undefined;
  /** User groups in its rules, by id. */
  readonly groups: readonly string[];
  /** Live replicas that use another one. Undefined in a bot, which knows its own. */
  readonly elsewhere?: readonly { readonly host: string; readonly source: string; readonly rules: number }[];
};

/** The file of watches. */
export type WatchesFacts = {
  readonly source: string;
  readonly count: number;
  /** Why the file can't be used: its first problem, with the line. */
  readonly problem: string | undefined;
};

/** Everything that the checks judge. */
export type Facts = {
  readonly now: Date;
  readonly slackKind: "playground" | "one" | "oauth";
  readonly transport: "http" | "socket";
  /** One per workspace; none with the playground, which the doctor has no token for. */
  readonly slack: readonly SlackFacts[];
  /** Undefined where it isn't asked: over HTTP, or where the live connections tell more. */
  readonly appToken: { readonly kind: "accepted" } | Refused | Away | undefined;
  readonly scopes: { readonly needed: readonly string[]; readonly optional: readonly string[] };
  /** Channels with a binding. */
  readonly boundChannels: readonly string[];
  readonly api: ApiFacts;
  readonly database: DatabaseFacts;
  /** Undefined while the database can't be read. */
  readonly keys: KeyFacts | undefined;
  readonly policy: PolicyFacts;
  /** Undefined without such a file. */
  readonly watches: WatchesFacts | undefined;
  /** Undefined while the database can't be read. */
  readonly replicas: readonly LiveReplica[] | undefined;
  /** Undefined when no replica has left a row. */
  readonly lastHeartbeat?: LastHeartbeat | undefined;
  /** None while the database can't be read. */
  readonly failingReceivers: readonly FailingReceiver[];
};

/** Times are ISO 8601, by the replica's own clock. */
const Time = z.iso.datetime();
const Lane = z.object({ running: z.number(), waiting: z.number(), oldestMs: z.number() });

const LoggedError: z.ZodType<RecentError> = z.object({ at: Time, says: z.string(), reference: z.string().optional() });

/**
 * What a replica says about itself with each heartbeat. It is stored unsealed, so it holds no secret and nothing that a
 * person typed. Other versions may know other fields.
 */
export const ReplicaReport = z.object({
  version: z.string(),
  /** Ids of the keys that it opens texts with. An older version doesn't say. */
  keyIds: z.array(z.string()).optional(),
  /** The name of the machine or container. */
  host: z.string(),
  startedAt: Time,
  at: Time,
  transport: z.object({
    kind: z.enum(["http", "socket"]),
    /** Ages of the live WebSockets in milliseconds. */
    links: z.array(z.number()),
    /** Connections to the same app that no replica has: another Gantry's. */
    others: z.number().optional(),
  }),
  /** Why it can't do its work, as /readyz says it. */
  missing: z.array(z.string()),
  /** When something last arrived from Slack, by kind. */
  arrived: z.object({ command: Time.optional(), click: Time.optional(), event: Time.optional() }),
  /** Requests with a wrong signature. */
  refused: z.object({ count: z.number(), last: Time.optional() }),
  lanes: z.record(z.string(), Lane),
  /** Newest first. */
  errors: z.array(LoggedError),
  policy: z.object({ source: z.string(), rules: z.number(), problem: z.string().optional() }),
  /** The local engine behind the workload API, which no other process can ask. */
  engine: z
    .object({
      title: z.string(),
      regions: z.array(z.object({ name: z.string(), version: z.string().optional(), problem: z.string().optional() })),
    })
    .optional(),
});
export type ReplicaReport = z.infer<typeof ReplicaReport>;
type Engine = NonNullable<ReplicaReport["engine"]>;
export type EngineFacts = Pick<Engine, "title"> & { readonly regions: readonly Engine["regions"][number][] };

export type LiveReplica = {
  readonly id: string;
  /** Undefined when it wrote none, or one of another version that can't be read. */
  readonly report: ReplicaReport | undefined;
};

/** Reports of the live replicas that can be read. */
export function reportsOf({ replicas }: Pick<Facts, "replicas">): readonly ReplicaReport[] {
  return (replicas ?? []).flatMap(({ report }) => (report === undefined ? [] : [report]));
}
