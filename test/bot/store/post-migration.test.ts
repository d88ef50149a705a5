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
  const { store, take, pass } = await upgraded(
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
  const read = async () => {
    const posts = await Promise.all((await take("post")).map((due) => store.postOf(due)));
    return Object.fromEntries(posts.map((post) => [post?.key, post]));
  };

  const now = await read();
  pass(MINUTE + 1);
  const later = await read();

  const card = (ts: string) => ({ channelId: "C1", ts });
  expect(now).toMatchObject({
    new: { place: "C1", fallback: "U1", card: undefined, posts: 0, told: [] },
    posted: { card: card("1.1"), posts: 1, told: ["posted", "lines"], listed: ["n1", "n2"] },
    instead: { place: "U1", insteadOf: "C1", fallback: undefined, card: { channelId: "D1", ts: "1.5" }, listed: [] },
    "posted-twice": { card: card("1.2"), posts: 2 },
  });
  expect(Object.keys(now)).toHaveLength(4);
  expect(later).toMatchObject({ "maybe-posted": { card: undefined, posts: 1 }, rests: { card: card("1.3") } });
  expect(Object.keys(later)).not.toContain("shown");
  expect(Object.keys(later)).not.toContain("nowhere");
});
