import { insertEvent, workspaceEvent } from "../events.ts";
import { type Selectable, sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";
import { type ChainKeys, digestOf, erase, type PersonalField, personalFields } from "../../audit/chain.ts";
import { chainedEvent, eventFields } from "../audit/chain-rows.ts";
import type { Tables } from "../schema/tables.ts";
import { LOST, openJson, sealJson } from "./text-sealer.ts";
import { deleteDue, dueBind } from "../due.ts";
import { deletePosts, postBind } from "../posts.ts";
import { EventJson, listOf } from "../rounds.ts";
import { fromJson } from "../schema/columns.ts";
import { inTransaction, removeRows, rowsOf, type Session } from "./session.ts";

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Everything that is kept of a person, by table, with the texts opened. Never a token, and nothing sealed. */
export async function personRows(
  { db, textSealer }: Pick<Session, "db" | "textSealer">,
  userId: string,
): Promise<Rows> {
  const by = async (table: keyof Tables, column: string): Promise<readonly Record<string, unknown>[]> => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}
      where ${sql.ref(column)} = ${userId}`.execute(db);
    return rows;
  };
  const changes = (await by("change", "requester_id")).map((row) => openedChange(textSealer, row));
  const events = (await by("event", "user_id")).map((row) => ({
    ...without(row, /^(?:salt|chain_|erased)/u),
    result: textSealer.open(String(row["result"]), text(row["change_id"])),
  }));
  const accounts = (await by("account", "owner_id")).map((row) => without(row, /^sealed_token$/u));
  const follows = (await by("follow", "requester_id")).map((row) => without(row, /^(?:sealed|token)$/u));
  return {
    event: events,
    change: changes,
    vote: await by("vote", "user_id"),
    account: accounts,
    binding: await by("binding", "bound_by"),
    person_setting: await by("person_setting", "user_id"),
    profile: await by("profile", "user_id"),
    watch: await by("watch", "owner_id"),
    mute: await by("mute", "by_id"),
    follow: follows,
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function without(row: Record<string, unknown>, names: RegExp): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.test(name)));
}

function openedChange(sealer: Session["textSealer"], row: Record<string, unknown>): Record<string, unknown> {
  const id = String(row["id"]);
  const reason = text(row["reason"]);
  const opened = (column: string): string | null => {
    const value = text(row[column]);
    return value && openJson(sealer, value, id);
  };
  return {
    ...without(row, /^(?:sealed|wait_key|undo_key)$/u),
    reason: reason === null ? null : sealer.open(reason, id),
    diff: sealer.open(String(row["diff"]), id),
    ending: opened("ending"),
    health: opened("health"),
    progress: opened("progress"),
  };
}

/** In place of a name and of what somebody typed. */
export const ERASED = "(erased)";

export type Erasure = {
  /** In place of their id, everywhere. */
  readonly pseudonym: string;
  readonly events: number;
  readonly requests: number;
  /** Whether any row was theirs or named them; false for a mistyped id. */
  readonly wasKnown: boolean;
};

/** What is in the way of an erasure: requests that aren't over, and events that haven't joined the chain. */
export async function openOf(
  { db }: Pick<Session, "db">,
  userId: string,
): Promise<{ readonly requests: number; readonly events: number }> {
  const requests = await db
    .selectFrom("change")
    .select("id")
    .where("requester_id", "=", userId)
    .where("settled_at", "is", null)
    .where("part_of", "is", null)
    .execute();
  const events = await db.selectFrom("event").select("seq").where("chain_number", "is", null).execute();
  return { requests: requests.length, events: events.length };
}

/**
 * Replaces a person's names and what they typed, and their id by a pseudonym. Events stay in the chain: the hashes of what
 * went are kept, signed. What is theirs alone (accounts, settings, watches) is deleted. An event of each workspace says that
 * somebody was erased, by the pseudonym.
 */
export async function erasePerson(
  session: Session,
  { chain: keys, sealer }: { readonly chain: ChainKeys; readonly sealer: Sealer },
  userId: string,
): Promise<Erasure> {
  const pseudonym = `erased-${keys.mark("pseudonym", [userId]).slice(0, 10)}`;
  const names = await namesOf(session, userId);
  const person = { userId, pseudonym, names, mentions: mentionsOf(userId, names) };
  const [accounts, teams] = [await ownAccounts(session, userId), await teamsOf(session, userId)];
  const theirs = await session.db.selectFrom("change").select("id").where("requester_id", "=", userId).execute();
  const ownRequests = new Set(theirs.map(({ id }) => id));
  const events = await eraseEvents(session, keys, { ...person, accounts, ownRequests });
  const { own: requests, all } = await eraseRequests(session, sealer, { ...person, accounts });
  const due = await eraseDue(session, { ...person, accounts });
  const rest = due + (await eraseRest(session, { ...person, accounts }));
  for (const teamId of teams) await insertEvent(session, workspaceEvent("erased", teamId, pseudonym));
  return { pseudonym, events, requests, wasKnown: teams.length + events + all + rest > 0 };
}

async function namesOf({ db }: Session, userId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string | null }>`
    select user_name as name from event where user_id = ${userId} union
    select requester_name from change where requester_id = ${userId} union
    select user_name from vote where user_id = ${userId} union
    select name from profile where user_id = ${userId}`.execute(db);
  return rows.flatMap(({ name }) => (name === null || name === ERASED ? [] : [name]));
}

/** Workspaces that have something of theirs. */
async function teamsOf({ db }: Session, userId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ team: string }>`
    select team_id as team from event where user_id = ${userId} union
    select team_id from change where requester_id = ${userId} union
    select team_id from account where owner_kind = 'user' and owner_id = ${userId} union
    select team_id from profile where user_id = ${userId} union
    select team_id from person_setting where user_id = ${userId} union
    select team_id from watch where owner_id = ${userId} union
    select team_id from mute where by_id = ${userId} or place = ${userId} union
    select team_id from follow where requester_id = ${userId}`.execute(db);
  return rows.map(({ team }) => team);
}

async function ownAccounts({ db }: Session, userId: string): Promise<readonly string[]> {
  const linked = await rowsOf(db, "account", { owner_kind: "user", owner_id: userId });
  const owner = `%"userId":${JSON.stringify(userId)}%`;
  const used = await db
    .selectFrom("change")
    .select("account_username")
    .distinct()
    .where("account_owner", "like", owner)
    .execute();
  return [...new Set([...linked.map(({ username }) => username), ...used.map((row) => row.account_username)])];
}

function escaped(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);
}

/** Matches their id and names in a text or in JSON, as whole words: a short name is part of many others. */
function mentionsOf(userId: string, names: readonly string[]): RegExp {
  const longer = names.filter((name) => name.trim().length > 1);
  const words = [userId, ...longer, ...longer.map((name) => JSON.stringify(name).slice(1, -1))].toSorted(
    (one, other) => other.length - one.length,
  );
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.map(escaped).join("|")})(?![\\p{L}\\p{N}_])`, "gu");
}

type Person = {
  readonly userId: string;
  readonly pseudonym: string;
  readonly names: readonly string[];
  readonly mentions: RegExp;
};
type WithAccounts = Person & { readonly accounts: readonly string[] };

const PAGE = 200;

type Eventful = WithAccounts & { readonly ownRequests: ReadonlySet<string> };

async function eraseEvents(session: Session, keys: ChainKeys, person: Eventful): Promise<number> {
  let erased = 0;
  for (let after = 0; ;) {
    const rows = await session.db
      .selectFrom("event")
      .selectAll()
      .where("chain_number", ">", after)
      .orderBy("chain_number")
      .limit(PAGE)
      .execute();
    for (const row of rows) if (await eraseEvent(session, keys, { row, person })) erased += 1;
    const last = rows.at(-1);
    if (last === undefined) return erased;
    after = Number(last.chain_number);
  }
}

type ErasedRow = { readonly row: Selectable<Tables["event"]>; readonly person: Eventful };

async function eraseEvent({ db, textSealer }: Session, keys: ChainKeys, { row, person }: ErasedRow): Promise<boolean> {
  // What was changed, or can't be opened, is left as it is: an erasure would hide it.
  const { contents = [], digest } = chainedEvent(textSealer, row);
  const event = contents.find((each) => digestOf(each) === digest);
  if (event === undefined) return false;
  const { userId, pseudonym, mentions, accounts, ownRequests } = person;
  const { fields } = event;
  const isTheirs = fields.userId === userId;
  // Gantry's own events of their requests, such as that one expired.
  const isAboutTheirs = fields.userId === null && fields.changeId !== null && ownRequests.has(fields.changeId);
  const instead: Partial<Record<PersonalField, string | null>> = {};
  if (isTheirs) {
    Object.assign(instead, { userId: pseudonym, userName: ERASED, result: ERASED });
    // A name that no request has was typed.
    if (fields.changeId === null && fields.workloadName !== null) instead.workloadName = ERASED;
  } else if (fields.result !== null && fields.result !== LOST && fields.result.search(mentions) >= 0) {
    instead.result = fields.result.replaceAll(mentions, pseudonym);
  }
  if (isTheirs || isAboutTheirs) {
    // A direct message is a person.
    if (isDirect(fields.channelId)) instead.channelId = pseudonym;
    if (fields.account !== null && accounts.includes(fields.account)) instead.account = ERASED;
  }
  if (personalFields.every((field) => instead[field] === undefined)) return false;
  const next = erase(keys, event, instead);
  const columns = eventFields(next.fields);
  await db
    .updateTable("event")
    .set({
      ...columns,
      result: textSealer.seal(columns.result, row.change_id),
      salt: null,
      erased: JSON.stringify(next.erased),
    })
    .where("seq", "=", row.seq)
    .execute();
  return true;
}

async function eraseRequests(
  { db, textSealer }: Session,
  sealer: Sealer,
  person: WithAccounts,
): Promise<{ readonly own: number; readonly all: number }> {
  let [own, all] = [0, 0];
  for (let after = ""; ;) {
    const rows = await db.selectFrom("change").selectAll().where("id", ">", after).orderBy("id").limit(PAGE).execute();
    for (const row of rows) {
      const isTheirs = row.requester_id === person.userId;
      const set = { ...erasedTexts(row, { textSealer, sealer, person }), ...erasedNames(row, { textSealer, person }) };
      if (Object.keys(set).length === 0) continue;
      all += 1;
      if (isTheirs) own += 1;
      await db.updateTable("change").set(set).where("id", "=", row.id).execute();
      if (!isTheirs) continue;
      // What is said about a request has its id first, whatever its kind.
      await deletePosts(db, sql<SqlBool>`key like ${`${row.id} %`}`);
      // A direct message is a person.
      if (isDirect(row.channel_id)) await deletePosts(db, sql<SqlBool>`id = ${row.id}`);
    }
    const last = rows.at(-1);
    if (last === undefined) return { own, all };
    after = last.id;
  }
}

type Row = Selectable<Tables["change"]>;
type Erasing = Pick<Session, "textSealer"> & { readonly person: WithAccounts };

/** The columns of a request that names them in a text: somebody else's may list what they changed. */
function erasedTexts(row: Row, { textSealer, sealer, person }: Erasing & { readonly sealer: Sealer }): Partial<Row> {
  const { mentions, pseudonym } = person;
  const without = (text: string): string => text.replaceAll(mentions, pseudonym);
  const sealedWithout = (sealed: string | null): string | undefined => {
    const text = sealed === null ? LOST : textSealer.open(sealed, row.id);
    const erased = text === LOST ? text : without(text);
    return erased === text ? undefined : textSealer.seal(erased, row.id);
  };
  const diff = sealedWithout(row.diff);
  const reason = sealedWithout(row.reason);
  const notice = row.notice === null ? null : without(row.notice);
  const isNamed = diff !== undefined || reason !== undefined;
  return {
    ...(isNamed && { sealed: withoutInRequest(sealer, row, without) }),
    ...(diff !== undefined && { diff }),
    ...(reason !== undefined && { reason }),
    ...(notice !== row.notice && { notice }),
  };
}

/** The sealed request has its differences and its reason, too. What can't be opened stays. */
function withoutInRequest(sealer: Sealer, { id, sealed }: Row, without: (text: string) => string): string {
  const bind = ["change", id];
  const content = Typed.safeParse(openedJson(sealer, sealed, bind)).data;
  if (content === undefined) return sealed;
  const { change, ask } = content;
  const erased = {
    ...content,
    ...(change && { change: { ...change, diff: change.diff.map(without) } }),
    ...(ask?.reason !== undefined && { ask: { ...ask, reason: without(ask.reason) } }),
  };
  return sealer.seal(JSON.stringify(erased), bind);
}

const Typed = z.looseObject({
  change: z.looseObject({ diff: z.array(z.string()) }).optional(),
  ask: z.looseObject({ reason: z.string().optional() }).optional(),
});

function openedJson(sealer: Sealer, sealed: string, bind: readonly string[]): unknown {
  try {
    return JSON.parse(sealer.open(sealed, bind));
  } catch {
    return undefined;
  }
}

/** The columns of a request that is theirs, or that they decided or may decide. */
function erasedNames(row: Row, { textSealer, person }: Erasing): Partial<Row> {
  const { userId, pseudonym, mentions, accounts } = person;
  const quoted = JSON.stringify(userId);
  const ending = row.ending && openJson(textSealer, row.ending, row.id);
  const why = ending === null ? "" : withoutInWhy(ending, person);
  return {
    ...(row.requester_id === userId && {
      requester_id: pseudonym,
      requester_name: ERASED,
      reason: row.reason === null ? null : textSealer.seal(ERASED, row.id),
      // The request as it was typed: it can't be repeated or undone any more.
      sealed: "",
      // A direct message is a person.
      ...(isDirect(row.channel_id) && { channel_id: pseudonym }),
      // Names the channel of the message that asked for it.
      ...(row.delivery_id.startsWith("said:") && { delivery_id: `erased ${row.id}` }),
      account_owner: row.account_owner.replaceAll(quoted, JSON.stringify(pseudonym)),
      ...(accounts.includes(row.account_username) && { account_username: ERASED }),
    }),
    ...(ending?.includes(quoted) === true
      ? { ending: erasedEnding(ending, { quoted, pseudonym, mentions }) }
      : ending && why !== ending && { ending: sealJson(textSealer, why, row.id) }),
    ...(row.terms?.includes(quoted) === true && { terms: row.terms.replaceAll(quoted, JSON.stringify(pseudonym)) }),
  };
}

function isDirect(channelId: string | null): boolean {
  return channelId?.startsWith("D") === true;
}

type Quoted = Pick<Person, "pseudonym" | "mentions"> & { readonly quoted: string };

/** Why a request didn't run, such as that its requester may no longer do this. */
function withoutInWhy(ending: string, { mentions, pseudonym }: Person): string {
  return JSON.stringify(JSON.parse(ending), (key, value: unknown) =>
    key === "why" && typeof value === "string" ? value.replaceAll(mentions, pseudonym) : value,
  );
}

/** Who decided, and their reason. */
function erasedEnding(ending: string, { quoted, pseudonym, mentions }: Quoted): string {
  const { by, reason, ...rest } = JSON.parse(ending.replaceAll(quoted, JSON.stringify(pseudonym))) as Record<
    string,
    unknown
  >; // of ours
  const erased = {
    ...rest,
    ...(by !== undefined && { by: { userId: pseudonym, name: ERASED } }),
    ...(reason !== undefined && { reason: ERASED }),
  };
  return JSON.stringify(erased).replaceAll(mentions, pseudonym);
}

/** Deletes work and messages that name them, such as the news that their watch ended, and what was read with their account. */
async function eraseDue({ db, textSealer }: Session, { userId, accounts }: WithAccounts): Promise<number> {
  const names = (payload: string | null, bind: string | readonly string[]): boolean =>
    payload !== null && textSealer.open(payload, bind).includes(JSON.stringify(userId));
  const due = await db.selectFrom("due").select(["kind", "key", "payload"]).where("payload", "is not", null).execute();
  // What others asked for may name them.
  const isTheirs = (payload: string | null, bind: string | readonly string[]): boolean =>
    payload !== null && textSealer.open(payload, bind).includes(`"userId":${JSON.stringify(userId)}`);
  const named = due.filter((row) => (row.kind === "delivery" ? isTheirs : names)(row.payload, dueBind(row)));
  for (const { kind, key } of named) await deleteDue({ db }, { kinds: [kind], key });
  // Lists that were read with an account of theirs. If others watch one, its rounds begin again.
  const rounds = await rowsOf(db, "due", { kind: "round" });
  for (const { key } of rounds) {
    if (accounts.includes(listOf(key)?.account ?? "")) await deleteDue({ db }, { kinds: ["round"], key });
  }
  const events = await db.selectFrom("notice").select(["id", "event"]).where("event", "is not", null).execute();
  for (const { id, event } of events) {
    const noticed = fromJson(EventJson).safeParse(textSealer.open(event ?? "", `notice ${id}`)).data;
    if (noticed !== undefined && accounts.includes(noticed.account)) await removeRows(db, "notice", { id });
  }
  // Of their direct messages.
  await db.deleteFrom("due").where("kind", "=", "place").where("key", "like", `% ${userId}`).execute();
  const posts = await db
    .selectFrom("post")
    .select(["id", "kind", "key", "payload"])
    .where("payload", "is not", null)
    .execute();
  const posted = posts.filter((row) => names(row.payload, postBind(row)));
  for (const { id } of posted) await deletePosts(db, sql<SqlBool>`id = ${id}`);
  return named.length + posted.length;
}

/** Resolves to the number of rows that were theirs or named them. */
async function eraseRest(session: Session, { userId, pseudonym, names, accounts }: WithAccounts): Promise<number> {
  return inTransaction(session, async ({ db: tx }) => {
    let rows = await deletePosts(tx, sql<SqlBool>`place = ${userId}`);
    const isOneOf = (column: "account" | "username" | "stopped_by", values: readonly string[]) =>
      values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`;
    const changed = [
      // An account of their own is theirs by its name, and what was read with it is read by nobody else.
      tx.deleteFrom("observation").where(isOneOf("account", accounts)),
      tx.deleteFrom("seen").where(isOneOf("account", accounts)),
      tx.deleteFrom("incident").where(isOneOf("account", accounts)),
      tx.deleteFrom("call_count").where(isOneOf("username", accounts)),
      tx.updateTable("follow").set({ stopped_by: ERASED }).where(isOneOf("stopped_by", names)),
      tx.updateTable("vote").set({ user_id: pseudonym, user_name: ERASED }).where("user_id", "=", userId),
      tx.deleteFrom("account").where("owner_kind", "=", "user").where("owner_id", "=", userId),
      tx.updateTable("account").set({ linked_by: pseudonym }).where("linked_by", "=", userId),
      tx.updateTable("binding").set({ bound_by: pseudonym, bound_by_name: ERASED }).where("bound_by", "=", userId),
      tx.updateTable("installation").set({ installed_by: pseudonym }).where("installed_by", "=", userId),
      tx.deleteFrom("person_setting").where("user_id", "=", userId),
      tx.deleteFrom("profile").where("user_id", "=", userId),
      // One of the file comes back with the file.
      tx.deleteFrom("watch").where("owner_id", "=", userId),
      // What is told in their direct message.
      tx.deleteFrom("mute").where("place", "=", userId),
      tx.deleteFrom("notice").where("place", "=", userId),
      tx.deleteFrom("told_place").where("place", "=", userId),
      tx.updateTable("mute").set({ by_id: pseudonym, by_name: ERASED }).where("by_id", "=", userId),
      tx.updateTable("alert").set({ taken_by: pseudonym, taken_name: ERASED }).where("taken_by", "=", userId),
      tx.updateTable("alert").set({ taken_from: pseudonym, taken_from_name: ERASED }).where("taken_from", "=", userId),
      tx.updateTable("post").set({ fallback: null }).where("fallback", "=", userId),
      tx.deleteFrom("follow").where("requester_id", "=", userId),
    ];
    for (const statement of changed) {
      const { numAffectedRows = 0n } = await tx.executeQuery(statement);
      rows += Number(numAffectedRows);
    }
    return rows;
  });
}
