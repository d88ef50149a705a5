import { SlackAway } from "../../../../src/bot/errors.ts";
import type { WorkflowParts } from "../../../../src/bot/workflow/ports.ts";
import { redactLines } from "../../../../src/bot/logs/redact.ts";
import { expect, test } from "vitest";
import type { HistoryEventKind } from "../../../../src/bot/changes/history-event.ts";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import type { Kept, Shown, StoredPost, TakenCard, ThreadSoFar } from "../../../../src/bot/workflow/posts.ts";
import { changePost } from "../../../../src/bot/workflow/post/change-card.ts";
import type { Due } from "../../../../src/bot/workflow/due-kinds.ts";
import { ended, event, run, stored } from "../../views/support/stored-changes.ts";
import { desk, openPolicy } from "../support/desk.ts";
import { unposted } from "../support/unposted.ts";

const done = run({ kind: "done", after: undefined, alsoMoved: [] });
const routine = ended("done", { ending: done, terms: undefined });
const trouble = { kind: "trouble", line: "exit 3", excerpt: redactLines(["no database"]) } as const; // a literal kind
const post: StoredPost = { ...unposted, id: "7K3M9Q", kind: "change", key: "7K3M9Q" };

/** The card of a change that went through this, whose row of history has these kinds of events. */
async function shown(
  change: StoredChange,
  kinds: readonly HistoryEventKind[],
  { policy = openPolicy, ...other }: Partial<Omit<WorkflowParts, "policy">> & { readonly policy?: string } = {},
) {
  const { deps } = await desk({ policy });
  const ann = { userId: "U1", name: "Ann Lee" };
  const events = kinds.map((kind, at) => event(kind, { seq: at + 1, who: ann, result: kind }));
  const account = { owner: { kind: "workspace" }, username: "acme" } as const; // a literal kind
  const own = { ...change, requester: ann, account };
  const store = { ...deps.store, changeToDraw: () => Promise.resolve({ change: own, events }) };
  return changePost({ ...deps, store, ...other })(post);
}

async function card(
  change: StoredChange,
  kinds: readonly HistoryEventKind[],
): Promise<Shown & { readonly kept: Kept }> {
  const readable = await shown(change, kinds);
  if (readable.kind !== "shown" || readable.kept === undefined) throw new Error("there is no card");
  return { ...readable, kept: readable.kept };
}

const thread: ThreadSoFar = { sentKeys: [], isShown: true, isNew: false };

test("a request that waits is posted without its buttons first, and one that ended is posted as it is", async () => {
  expect((await card(stored(), ["requested"])).opening?.().text).toMatch(/No buttons\? A newer message has them/u);
  expect((await card(ended("done", { ending: done }), ["requested", "done"])).opening).toBeUndefined();
});

test("a thread tells what people decided in batches: what is begun is completed before newer news", async () => {
  const decided = ended("cancelled", { ending: { kind: "cancelled", by: { userId: "U1", name: "Ann Lee" } } });
  const { kept } = await card(decided, ["requested", "returned", "cancelled"]);

  expect(kept.lacks(thread)).toEqual(["story 0 3"]);
  expect(kept.lacks({ ...thread, sentKeys: ["unsure story 0 2"] })).toEqual(["story 0 2", "story 2 3"]);
  expect(kept.lacks({ ...thread, sentKeys: ["all 0 2"] })).toEqual(["story 2 3"]);
  expect(kept.lacks({ ...thread, sentKeys: ["all 0 2", "story 2 3", "running"] })).toEqual([]);
  expect((await kept.reply("story 2 3"))?.text).toMatch(/Ann Lee cancelled it/u);
  expect((await kept.reply("story 0 2"))?.text).not.toMatch(/cancelled/u);
  expect(await kept.reply("lines")).toBeUndefined();
  expect(kept.complete?.(["all 0 2", "story 2 3", "running"])).toEqual(["running", "all 0 3"]);
});

test("the thread of a routine change tells only of trouble", async () => {
  const well = await card(routine, ["requested", "claimed", "done"]);
  const failing = await card({ ...routine, progress: trouble }, ["requested", "claimed", "done", "health"]);

  expect(well.kept.lacks(thread)).toEqual([]);
  expect(failing.kept.lacks(thread)).toEqual(["story 0 4"]);
});

test("a card of a workload in trouble waits while Slack can't say who its requester is", async () => {
  const { deps } = await desk({ policy: openPolicy });
  const profile = () => Promise.reject(new SlackAway("Slack doesn't answer."));
  const people = { ...deps.people, profile };

  expect(await shown({ ...routine, progress: trouble }, ["requested", "done", "health"], { people })).toEqual({
    kind: "unknown",
  });
});

test("so does one whose requester reads it as the member of a group, while Slack can't say who is in that", async () => {
  const { deps } = await desk();
  const groupMembers = () => Promise.reject(new SlackAway("Slack doesn't answer."));
  const people = { ...deps.people, groupMembers };
  const reads = (does: string): string => `rules: [{ name: group, who: S0ONCALL, does: ${does}, then: allow },
    { name: look, who: everyone, does: [getService], then: allow }]`;
  const asked = (does: string) =>
    shown({ ...routine, progress: trouble }, ["requested", "done", "health"], { people, policy: reads(does) });

  expect(await asked("read")).toEqual({ kind: "unknown" });
  expect(await asked("routine")).toMatchObject({ kind: "shown" });
});

test("how it ended isn't told twice in a thread whose card can't show it", async () => {
  const decided = ended("done", { ending: done });
  const { kept, beside } = await card(decided, ["requested", "done"]);
  const unshown = { why: "message", refusal: { reason: "No.", reference: "1" }, lateMs: 0 } as const; // a literal reason

  expect(kept.lacks({ ...thread, isShown: false })).toEqual([]);
  const told = beside?.([], unshown);
  expect(told).toMatchObject({ kind: "tell", keys: ["ended", "all 0 2"] });
  expect(kept.lacks({ ...thread, sentKeys: ["ended", "all 0 2"] })).toEqual([]);
});

test("only a card that was posted as it is says that it comes again", async () => {
  const direct = await card(routine, []);
  const decided = await card(ended("done", { ending: done }), []);

  expect((await direct.card({ isAgain: true })).text).toContain("Sent again: you may have it already");
  expect((await direct.card({ isAgain: false })).text).not.toContain("Sent again");
  expect((await decided.card({ isAgain: true })).text).not.toContain("Sent again");
});

test("what is known of a change that has just ended isn't read again", async () => {
  const { deps } = await desk();
  const change = routine;
  const due = { kind: "post", key: change.id } as Due; // the rest doesn't matter
  const taken: TakenCard = { due, post, change, opened: undefined };
  const kind = changePost(deps, taken);

  expect(await kind(post)).toMatchObject({ kind: "shown" });
  // Asked again, it is: nothing of it is stored.
  expect(await kind(post)).toEqual({ kind: "nothing", isOver: true });
});

const hidesThere = `rules: [{ name: hidden, who: everyone, where: channels, does: read, then: refuse },
  { name: all, who: members, does: [read, disruptive], then: allow }]`;
// oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
const moved = [{ field: "instances", then: "6", now: "7-by-others", asked: "2" }];

test.each<readonly [what: string, change: StoredChange, kinds: readonly HistoryEventKind[]]>([
  ["a request that it stopped", ended("drifted", { ending: { kind: "drifted", drift: moved } }), ["drifted"]],
  [
    "what it did",
    { ...routine, ending: run({ kind: "done", after: undefined, alsoMoved: ["memory → 7-by-others"] }) },
    [],
  ],
  [
    "what it did before, and got healthy late",
    {
      ...ended("done", { ending: done }),
      health: { kind: "reached", line: "", excerpt: [] },
      wayBackEnd: { isNeeded: false, why: "it got healthy late" },
    },
    ["health"],
  ],
])(
  "what others changed meanwhile isn't told beside %s where policy hides the workload",
  async (_what, change, kinds) => {
    const told = async (policy: string) => {
      const readable = await shown(change, kinds, { policy });
      if (readable.kind !== "shown" || readable.kept === undefined) throw new Error("there is no card");
      const { kept } = readable;
      const replies = await Promise.all(kept.lacks(thread).map((key) => kept.reply(key)));
      return [await readable.card({ isAgain: false }), ...replies].map((each) => JSON.stringify(each)).join("\n");
    };
    expect(await told(openPolicy)).toMatch(/7-by-others|🔴/u);
    expect(await told(hidesThere)).not.toMatch(/7-by-others|🔴/u);
  },
);
