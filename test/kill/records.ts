import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";
import type { ChangeState, Ending } from "../../src/bot/changes/stored-change.ts";
import type { ReplicaSetup } from "./ipc.ts";

/** What stands in the database about a Change, read past the bot. */
export type ChangeRecord = {
  readonly id: string;
  readonly delivery_id: string;
  readonly state: ChangeState;
  readonly op: string;
  readonly verb: string;
  readonly workload_name: string;
  readonly requester_id: string;
  readonly expires_at: string | null;
  readonly settled_at: string | null;
  readonly ending: Ending | null;
  readonly health: string | null;
  readonly progress: string | null;
  /** When it is carried on, or how long somebody does so; null when nobody has to. */
  readonly next_at: string | null;
  /** Its card, which Slack takes no update of since then. */
  readonly card_ts: string | null;
  readonly blocked_at: string | null;
  /** Keys of what its thread says, and of what its requester was told beside it. */
  readonly told: string | null;
  /** Messages about it that have to be delivered: its card, and what its requester is told. */
  readonly due: number | string;
  /** How many workloads it is about; 0 for one. */
  readonly part_count: number;
  /** The request that this one takes back. */
  readonly undo_of: string | null;
};

export type EventRecord = { readonly kind: string; readonly change_id: string | null; readonly user_id: string | null };

export type Records = {
  /** Requests about a workload, or about several of which it is the first one; oldest first. */
  readonly changes: (workload: string) => Promise<readonly ChangeRecord[]>;
  /** The parts of a request for several workloads, in order. */
  readonly parts: (requestId: string) => Promise<readonly ChangeRecord[]>;
  readonly events: (workload: string) => Promise<readonly EventRecord[]>;
  /** Ids of deliveries that nobody has finished. */
  readonly unfinished: () => Promise<readonly string[]>;
  /** How many logs are followed. */
  readonly follows: () => Promise<number>;
  /** How many watches, and mutes, name a workload. */
  readonly watches: (workload: string) => Promise<number>;
  readonly mutes: (workload: string) => Promise<number>;
  /** When the digest about a workload is due. */
  readonly digestAt: (workload: string) => Promise<string | undefined>;
  /** How much a place is still to be told: incidents, digests and announcements. */
  readonly untold: () => Promise<number>;
  readonly close: () => Promise<void>;
};

type Query = (text: string) => Promise<readonly unknown[]>;

const columns = `id, delivery_id, state, op, verb, workload_name, requester_id, expires_at, settled_at, ending, health, progress,
  (select at from due where due.kind = 'change' and due.key = change.id) as next_at, part_count, undo_of, (select ts from post where post.id = change.id) as card_ts,
  (select blocked_at from post where post.id = change.id) as blocked_at, (select told from post where post.id = change.id) as told,
  (select count(*) from due join post on post.id = due.key where due.kind in ('post', 'requester')
    and (post.id = change.id or (post.kind = 'requester' and post.key like change.id || ' %'))) as due`;

export function openRecords(database: ReplicaSetup["database"]): Records {
  const { query, close } = database.kind === "sqlite" ? ofFile(database.dataDir) : ofServer(database.url);
  return {
    async follows() {
      return (await query("select id from follow")).length;
    },
    async watches(workload) {
      return (await query(`select id from watch where names = '${workload}'`)).length;
    },
    async mutes(workload) {
      return (await query(`select names from mute where names = '${workload}'`)).length;
    },
    async digestAt(workload) {
      const [row] = await query(
        `select at from due join watch on watch.id = due.key where due.kind = 'digest' and names = '${workload}'`,
      );
      return (row as { at: string } | undefined)?.at; // of this column
    },
    async untold() {
      const posts = await query(`select post.id from due join post on post.id = due.key
        where due.kind = 'post' and post.kind in ('alert', 'announcement', 'digest')`);
      return posts.length + (await query("select id from notice where alert_id is null")).length;
    },
    async changes(workload) {
      const where = `workload_name = '${workload}' and part_of is null`;
      return recordsIn(await query(`select ${columns} from change where ${where} order by created_at`));
    },
    async parts(requestId) {
      return recordsIn(await query(`select ${columns} from change where part_of = '${requestId}' order by id`));
    },
    async events(workload) {
      const rows = await query(
        `select kind, change_id, user_id from event where workload_name = '${workload}' order by seq`,
      );
      return rows as readonly EventRecord[]; // of these columns
    },
    async unfinished() {
      const rows = await query("select key as id from due where kind = 'delivery'");
      return rows.map((row) => (row as { id: string }).id); // of this column
    },
    close,
  };
}

function recordsIn(rows: readonly unknown[]): readonly ChangeRecord[] {
  return rows.map((row) => {
    const read = row as ChangeRecord & { ending: string | null }; // of the columns above
    return { ...read, ending: read.ending === null ? null : (JSON.parse(read.ending) as Ending) }; // what the store wrote
  });
}

type Opened = { readonly query: Query; readonly close: () => Promise<void> };

function ofFile(dataDir: string): Opened {
  let file: DatabaseSync | undefined;
  const opened = (): DatabaseSync => {
    file ??= new DatabaseSync(join(dataDir, "gantry.sqlite"), { readOnly: true });
    return file;
  };
  return {
    query: async (text) => opened().prepare(text).all(),
    close: async () => file?.close(),
  };
}

function ofServer(url: string): Opened {
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  return { query: async (text) => (await pool.query(text)).rows, close: () => pool.end() };
}
