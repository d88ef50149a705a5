import { z } from "zod";
import { chainBind } from "../audit/chain-rows.ts";
import { dueBind } from "../due.ts";
import { seenKey } from "../rounds.ts";
import type { ListKey } from "../../workflow/stored.ts";

const Row = z.record(z.string(), z.unknown());
export type Row = z.infer<typeof Row>;

/** A column with sealed values: the key of its rows, and the words that its values are bound to. */
export type Column = {
  /** What the values are, as the doctor says it: "account tokens". */
  readonly what: string;
  readonly table: string;
  readonly key: readonly string[];
  /** The column that the newest rows are found by; undefined for a table with few rows. */
  readonly age?: string;
  readonly column: string;
  readonly bind: (row: Row) => readonly string[];
};

function listOf(row: Row): ListKey {
  const kind = row["kind"] === "job" ? "job" : "service";
  return { teamId: textOf(row["team_id"]), account: textOf(row["account"]), region: textOf(row["region"]), kind };
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const words = (id: string): readonly string[] => ["words", id];

/** All of them: a test compares this list with a whole database. */
export const columns: readonly Column[] = [
  {
    what: "account tokens",
    table: "account",
    age: "linked_at",
    key: ["team_id", "owner_kind", "owner_id"],
    column: "sealed_token",
    bind: (row) => ["account", ...["team_id", "owner_kind", "owner_id", "username"].map((name) => textOf(row[name]))],
  },
  {
    what: "stored requests",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "sealed",
    bind: ({ id }) => ["change", textOf(id)],
  },
  {
    what: "texts of requests and history",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "reason",
    bind: ({ id }) => words(textOf(id)),
  },
  {
    what: "texts of requests and history",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "diff",
    bind: ({ id }) => words(textOf(id)),
  },
  {
    what: "texts of requests and history",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "ending",
    bind: ({ id }) => words(textOf(id)),
  },
  {
    what: "texts of requests and history",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "health",
    bind: ({ id }) => words(textOf(id)),
  },
  {
    what: "texts of requests and history",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "progress",
    bind: ({ id }) => words(textOf(id)),
  },
  {
    what: "texts of requests and history",
    table: "event",
    age: "seq",
    key: ["seq"],
    column: "result",
    bind: (row) => words(textOf(row["change_id"])),
  },
  {
    what: "followed logs",
    table: "follow",
    age: "created_at",
    key: ["id"],
    column: "sealed",
    bind: ({ id }) => ["follow", textOf(id)],
  },
  {
    what: "tokens of workspaces",
    table: "installation",
    key: ["id"],
    column: "sealed_tokens",
    bind: (row) => ["installation", row["is_org"] === 1 ? "organization" : "workspace", textOf(row["id"])],
  },
  {
    what: "news of watched workloads",
    table: "seen",
    key: ["team_id", "account", "region", "kind", "name"],
    column: "state",
    bind: (row) => words(seenKey(listOf(row), textOf(row["name"]))),
  },
  {
    what: "news of watched workloads",
    table: "incident",
    age: "opened_at",
    key: ["id"],
    column: "state",
    bind: ({ id }) => words(`incident ${textOf(id)}`),
  },
  {
    what: "news of watched workloads",
    table: "notice",
    age: "due_at",
    key: ["team_id", "place", "id"],
    column: "event",
    bind: ({ id }) => words(`notice ${textOf(id)}`),
  },
  {
    what: "work that is due",
    table: "due",
    key: ["kind", "key"],
    column: "payload",
    bind({ kind, key }) {
      const bound = dueBind({ kind: textOf(kind), key: textOf(key) });
      return typeof bound === "string" ? words(bound) : bound;
    },
  },
  {
    what: "messages that are due",
    table: "post",
    key: ["id"],
    column: "payload",
    bind: ({ kind, key }) => words(`post ${textOf(kind)} ${textOf(key)}`),
  },
  {
    what: "audit chains",
    table: "audit_chain",
    key: ["id"],
    column: "sealed_secret",
    bind: ({ chain }) => chainBind(textOf(chain)),
  },
];

/** As `Sealer` writes it. */
const SEALED = /g1\.([A-Za-z0-9_-]{1,32})\.[A-Za-z0-9_-]+/u;

/** The sealed text in a value; endings and health hold it in their JSON. */
export function sealedIn(value: unknown): { readonly sealed: string; readonly keyId: string } | undefined {
  const [sealed, keyId] = SEALED.exec(textOf(value)) ?? [];
  return sealed === undefined || keyId === undefined ? undefined : { sealed, keyId };
}
