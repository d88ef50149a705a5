import { expect, test } from "vitest";
import { upgradedFrom } from "./support/upgraded.ts";

const BEFORE = "2026-01-01T00:00:00.000Z";
const MINUTE = 60_000;
const soon = new Date(Date.now() + MINUTE).toISOString();
const upgraded = (...rows: readonly string[]) => upgradedFrom("messages that are kept true, in one table", rows);

type Alert = Readonly<Partial<Record<"card" | "until" | "after" | "told", string>>> & {
  readonly posts?: number;
  readonly isStale?: boolean;
  readonly isNowhere?: boolean;
};

function alert(id: string, { card, until, after, told = "[]", posts = 0, isStale = true, isNowhere }: Alert): string {
  const text = (value?: string): string => (value === undefined ? "null" : `'${value}'`);
  return `insert into alert (id, team_id, place, owner_id, sort, created_at, told, version, drawn_version, stale, nowhere,
    card_channel, card_ts, posts, drawing_token, drawing_until, draw_after)
    values ('${id}', 'T1', 'C1', 'U1', 'image', '${BEFORE}', '${told}', 3, 2, ${isStale ? 1 : 0}, ${isNowhere ? 1 : 0},
    ${text(card && "C1")}, ${text(card)}, ${posts}, ${text(until && "of another replica")}, ${text(until)}, ${text(after)})`;
}

test("cards of incidents keep where they are and what their threads say, and wait as before", async () => {
  const { duePosts, pass } = await upgraded(
    alert("new", {}),
    alert("posted", { card: "1.1", posts: 2, told: '["posted","lines"]' }),
    alert("posted-twice", { card: "1.2", posts: 3 }),
    alert("maybe-posted", { posts: 1, until: soon }),
    alert("rests", { card: "1.3", posts: 2, after: soon }),
    alert("shown", { card: "1.4", posts: 2, isStale: false }),
    alert("nowhere", { isNowhere: true }),
    alert("instead", { card: "1.5", posts: 2 }).replace("'C1', '1.5'", "'D1', '1.5'"),
    "insert into notice (team_id, place, id, ripe_at, due_at, was_muted, alert_id) values ('T1', 'C1', 'n1', '', '', 0, 'posted'), ('T1', 'C1', 'n2', '', '', 0, 'posted')",
  );
  const now = await duePosts();
  pass(MINUTE + 1);
  const later = await duePosts();

  const card = (ts: string) => ({ channelId: "C1", ts });
  expect(now).toMatchObject({
    new: { place: "C1", fallback: "U1", card: undefined, posts: 0, sentKeys: [] },
    posted: { card: card("1.1"), posts: 1, sentKeys: ["posted", "lines"], listed: ["n1", "n2"] },
    instead: { place: "U1", insteadOf: "C1", fallback: undefined, card: { channelId: "D1", ts: "1.5" }, listed: [] },
    "posted-twice": { card: card("1.2"), posts: 2 },
  });
  expect(Object.keys(now)).toHaveLength(4);
  expect(later).toMatchObject({ "maybe-posted": { card: undefined, posts: 1 }, rests: { card: card("1.3") } });
  expect(Object.keys(later)).not.toContain("shown");
  expect(Object.keys(later)).not.toContain("nowhere");
});

type Card = Readonly<Partial<Record<"card" | "until" | "after" | "replies" | "news" | "terms" | "owed", string>>> & {
  readonly settled?: boolean;
  readonly isStale?: boolean;
  readonly isNowhere?: boolean;
  readonly toldSeq?: number;
  readonly notifies?: boolean;
};

function changeWith(id: string, { isStale = true, toldSeq = 0, ...other }: Card): string {
  const text = (value?: string): string => (value === undefined ? "null" : `'${value}'`);
  const { card, until, after, replies, news, terms, owed, settled, isNowhere } = other;
  return `insert into change (id, delivery_id, state, version, team_id, requester_id, requester_name, channel_id, verb, op,
    workload_kind, workload_region, workload_name, risk, diff, digest, sealed, account_owner, account_username, rule, terms,
    break_glass, is_undone, created_at, settled_at, posts, drawn_version, told_seq, told_replies, stale, nowhere, card_channel,
    card_ts, drawing_token, drawing_until, draw_after, owed_at, told_news, notifies)
    values ('${id}', 'delivery-${id}', 'done', 1, 'T1', 'U1', 'Ann Lee', 'C1', 'scale', 'updateService', 'service', 'us', 'web',
    'routine', '[]', 'digest-1', 'sealed-1', '{"kind":"workspace"}', 'acme', 'two eyes', ${text(terms)},
    0, 0, '${BEFORE}', ${text(settled === true ? BEFORE : undefined)}, ${card === undefined ? 0 : 1}, 1, ${toldSeq}, ${text(replies)},
    ${isStale ? 1 : 0}, ${isNowhere === true ? 1 : 0}, ${text(card && "C1")}, ${text(card)}, ${text(until && "of another replica")},
    ${text(until)}, ${text(after)}, ${text(owed)}, ${text(news)}, ${other.notifies === true ? 1 : 0})`;
}

test("cards of requests keep where they are, what their threads say and what requesters were told, and wait as before", async () => {
  const { store, duePosts, pass } = await upgradedFrom("cards of changes, in the same table", [
    changeWith("waits", { terms: JSON.stringify({ cardIn: "C9" }) }),
    changeWith("posted", {
      card: "1.1",
      toldSeq: 7,
      replies: JSON.stringify({ upTo: 9, keys: ["story", "changes 1"] }),
    }),
    changeWith("told", { card: "1.2", toldSeq: 7, news: "running" }),
    changeWith("asked", { card: "1.6", settled: true, notifies: true }),
    changeWith("drawn-now", { card: "1.3", until: soon }),
    changeWith("limited", { card: "1.4", after: soon }),
    changeWith("shown", { card: "1.5", isStale: false, settled: true }),
    changeWith("nowhere", { isNowhere: true, isStale: false, settled: true }),
    changeWith("untold", { isNowhere: true, isStale: false, settled: true, owed: BEFORE }),
  ]);
  const now = await duePosts();
  pass(MINUTE + 1);
  const later = await duePosts();

  const card = (ts: string) => ({ channelId: "C1", ts });
  expect(now).toMatchObject({
    waits: {
      id: "waits",
      kind: "change",
      place: "C9",
      fallback: "U1",
      card: undefined,
      posts: 0,
      sentKeys: ["all 0 0"],
    },
    posted: { place: "C1", card: card("1.1"), posts: 1, sentKeys: ["all 0 7", "story 7 9", "changes 1 7 9"] },
    told: { sentKeys: ["all 0 7", "running"] },
    untold: { card: undefined },
    asked: { sentKeys: ["all 0 0", "asked"] },
  });
  expect(Object.keys(now)).toHaveLength(5);
  expect(Object.keys(later)).toEqual(expect.arrayContaining(["drawn-now", "limited"]));
  expect(Object.keys(later)).not.toContain("shown");
  expect((await store.find({ id: "shown" }))?.card).toEqual(card("1.5"));
  expect((await store.find({ id: "nowhere" }))?.card).toBeUndefined();
});
