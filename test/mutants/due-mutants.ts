import type { Mutant } from "./mutants.ts";

const onSqlite = ["test/bot/store/on-sqlite.test.ts"];
const loop = ["test/bot/workflow/due.test.ts"];
const killed = ["test/flows/when-gantry-fails/watching-killed.test.ts"];

/** Work that some replica must do at a time. */
export const dueMutants: readonly Mutant[] = [
  {
    bug: "every replica takes the same work",
    file: "src/bot/store/due.ts",
    text: ".set({ token, at: clock(leaseMs), again_at: null,",
    becomes: ".set({ token, at: clock(), again_at: null,",
    tests: onSqlite,
  },
  {
    bug: "what is asked for again cuts a back-off short",
    file: "src/bot/store/due.ts",
    text: "due.token is null and due.attempts = 0 then",
    becomes: "due.token is null then",
    tests: onSqlite,
  },
  {
    bug: "what is asked for while somebody is at it is forgotten",
    file: "src/bot/store/due.ts",
    text: '.where("again_at", "is", null)',
    becomes: "",
    tests: onSqlite,
  },
  {
    bug: "what is asked for while somebody is at it waits for the time of before",
    file: "src/bot/store/due.ts",
    text: "`coalesce(again_at, ${at?.toISOString() ?? clock(ms)})`",
    becomes: "`${at?.toISOString() ?? clock(ms)}`",
    tests: onSqlite,
  },
  {
    bug: "an older payload replaces the one of who asked again",
    file: "src/bot/store/due.ts",
    text: "case when again_at is null then ${sealed} else payload end",
    becomes: "${sealed}",
    tests: onSqlite,
  },
  {
    bug: "who lost a lease ends the work of another replica",
    file: "src/bot/store/due.ts",
    text: " and token = ${token}`;",
    becomes: "`;",
    tests: onSqlite,
  },
  {
    bug: "a failure looks like a first attempt",
    file: "src/bot/store/due.ts",
    text: "attempts: isFailure ? sql<number>`attempts` : 0,",
    becomes: "attempts: 0,",
    tests: onSqlite,
  },
  {
    bug: "two sweeps at once take twice as much as there is room for",
    file: "src/bot/workflow/due.ts",
    text: "    count(name, most);\n",
    becomes: "    count(name, 0 * most);\n",
    tests: loop,
  },
  {
    bug: "what found no room waits for the next sweep",
    file: "src/bot/workflow/due.ts",
    text: "if (rows.length < waiting) behind.add(name);",
    becomes: "",
    tests: loop,
  },
  {
    bug: "work begins in a replica that stops",
    file: "src/bot/workflow/due.ts",
    text: "signal.aborted ? { ms: 0, isFailure: true } : await attempt(due, signal)",
    becomes: "await attempt(due, signal)",
    tests: loop,
  },
  {
    bug: "a lost lease counts as a failure",
    file: "src/bot/workflow/due.ts",
    text: "if (error instanceof LeaseLost) return undefined;",
    becomes: "",
    tests: loop,
  },
  {
    bug: "a replica whose round another one has writes what it found",
    file: "src/bot/store/rounds.ts",
    text: "if (!isOurs) return false;",
    becomes: "",
    tests: onSqlite,
  },
  {
    bug: "a replica that lost its lease of a follow stores something all the same",
    file: "src/bot/store/log-follows.ts",
    text: "if (!(await holdDue({ ...session, db: tx }, due))) return false;",
    becomes: "await holdDue({ ...session, db: tx }, due);",
    tests: onSqlite,
  },
  {
    bug: "a receiver is behind what it has got",
    file: "src/bot/store/audit/receivers.ts",
    text: "if (!(await holdDue({ ...session, db: tx }, due))) return false;",
    becomes: "await holdDue({ ...session, db: tx }, due);",
    tests: onSqlite,
  },
  {
    bug: "a digest that was sent when a replica died is sent again as if it were new",
    file: "src/bot/workflow/watching/digest.ts",
    text: "await renew(store, due, payloadOf(dueAt, true));",
    becomes: "await renew(store, due, payloadOf(dueAt));",
    tests: killed,
  },
  {
    bug: "news that were sent when a replica died are sent again as if they were new",
    file: "src/bot/workflow/watching/watch-news.ts",
    text: "{ ...news, isMaybePosted: true }",
    becomes: "{ ...news, isMaybePosted: false }",
    tests: killed,
  },
];
