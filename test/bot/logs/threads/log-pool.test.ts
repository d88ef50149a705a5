import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createLogPool, type LogPool, type LogPoolOptions } from "../../../../src/bot/logs/threads/log-pool.ts";
import { UserError } from "../../../../src/bot/errors.ts";
import { notFullRun } from "../../../support/full-run.ts";
import { stillClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";

const open: LogPool[] = [];
afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

const STEP_LIMIT_MS = 3_000;

/** A pool for which time passes when a test says so. */
function poolOf(options: Partial<LogPoolOptions> = {}) {
  const clock = stillClock();
  let steps = 0;
  const after: typeof clock.after = (ms, run) => {
    if (ms === STEP_LIMIT_MS) steps += 1;
    return clock.after(ms, run);
  };
  const pool = createLogPool({ clock: { after }, ...options });
  open.push(pool);
  return {
    ...pool,
    /** Resolves when so many steps have begun: each excerpt is redacted, then searched. */
    begun: (count: number) => until(() => steps >= count),
    limitPasses: () => clock.passMs(STEP_LIMIT_MS),
  };
}

function asked(who: string): { who: string; signal: AbortSignal } {
  return { who, signal: new AbortController().signal };
}

const page = { from: 0, size: 1000 };
const letters = Array.from({ length: 200 }, () => ({ text: "é".repeat(2_000) }));
const expensive = { ...page, lines: letters, grep: "\\pL{900}" };
const cheap = { ...page, lines: [{ text: "ok" }, { text: "ERROR password=hunter2" }], grep: "error" };

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => "it was answered",
    (thrown: unknown) => thrown,
  );
  return error instanceof UserError ? `${error.message} ${error.next ?? ""}` : String(error);
}

test("a slow expression ends with advice, and blocks neither the process nor another person", async () => {
  const pool = poolOf();
  let isOver = false;
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 5);

  const first = refusal(pool.excerpt(expensive, asked("dana"))).finally(() => (isOver = true));
  const second = await pool.excerpt(cheap, asked("alex"));
  await pool.begun(4);
  const before = turns;
  // Each turn that the expression would have kept from the process is missing.
  await until(() => turns > before + 20);

  expect(isOver).toBe(false);
  expect(second.lines).toEqual([{ text: "ERROR password=[redacted]", match: true }]);
  await pool.limitPasses();
  expect(await first).toBe(
    "This expression is too slow: searching 200 lines takes more than 3 s. " +
      "Search for plain words, avoid large counts such as `{900}`, or read fewer lines.",
  );
  clearInterval(turning);
});

test("one person's expressions run one at a time, so they can't take every thread", async () => {
  const pool = poolOf({ threads: 2 });
  const ended: string[] = [];
  const mark = (name: string) => () => void ended.push(name);

  const all = [
    refusal(pool.excerpt(expensive, asked("dana"))).then(mark("first")),
    refusal(pool.excerpt(expensive, asked("dana"))).then(mark("second")),
    pool.excerpt(cheap, asked("alex")).then(mark("alex")),
  ];
  await all[2];
  await pool.begun(4);
  await pool.limitPasses();
  await all[0];
  await pool.begun(6);
  const meanwhile = [...ended];
  await pool.limitPasses();
  await all[1];

  expect(meanwhile).toEqual(["alex", "first"]);
  expect(ended.at(-1)).toBe("second");
});

test("who asks for many logs at once is told to wait, and others are answered meanwhile", async () => {
  const pool = poolOf({ threads: 2 });

  const all = Array.from({ length: 6 }, () => refusal(pool.excerpt(expensive, asked("dana"))));

  const wait = "Several logs you asked for are still being read. Wait for those answers, then try again.";
  // One is being read, three wait for it.
  expect(await Promise.all(all.slice(4))).toEqual([wait, wait]);
  expect((await pool.excerpt(cheap, asked("alex"))).matched).toBe(1);
  // Alex's two steps, and those of each that is read.
  for (const [at, each] of all.slice(0, 4).entries()) {
    await pool.begun(4 + 2 * at);
    await pool.limitPasses();
    expect(await each).toContain("takes more than");
  }
});

test("lines that take too long to check for secrets are not shown", async () => {
  const pool = poolOf();
  const lines = Array.from({ length: 1_000 }, () => ({ text: "token: x ".repeat(1_820) }));

  const shown = refusal(pool.excerpt({ ...page, lines }, asked("dana")));
  await pool.begun(1);
  await pool.limitPasses();
  const redacted = refusal(pool.redact({ lines: lines.map(({ text }) => text), secrets: [] }, asked("dana")));
  await pool.begun(2);
  await pool.limitPasses();

  expect(await shown).toBe("Checking 1000 lines for secrets takes more than 3 s, so none are shown. Read fewer lines.");
  expect(await redacted).toContain("for secrets takes more than");
});

test("lines for a message are redacted, and cut after that: half of a secret wouldn't be recognised", async () => {
  const lines = ["ready", `${"x ".repeat(245)} password=hunter2-and-more`, "y ".repeat(300)];

  const shown = await poolOf().redact({ lines, secrets: [] }, asked("dana"));

  expect(shown[0]).toBe("ready");
  expect(shown[1]).toBe(`${"x ".repeat(245)} password=…`);
  expect(shown[2]).toHaveLength(501);
});

test("a page of crafted long lines is read to its end", async ({ skip }) => {
  skip(notFullRun !== undefined, notFullRun);
  const lines = Array.from({ length: 1_000 }, () => ({ text: "://a:token: x ".repeat(1_170) }));

  const excerpt = await poolOf().excerpt({ ...page, lines }, asked("dana"));

  expect(excerpt.read).toBe(1_000);
});

test("a short log is read while every thread is busy, and its secrets are redacted", async () => {
  const pool = poolOf({ mostWaiting: 0 });
  const busy = "Too many logs are being read right now. Try again in a few seconds.";
  const short = { ...page, lines: [{ text: "login of bob:swordfish" }, { text: "ERROR password=hunter2" }] };
  const secrets = ["bob:swordfish"];

  expect((await pool.excerpt({ ...short, secrets }, asked("dana"))).lines).toEqual([
    { text: "login of [redacted]", match: false },
    { text: "ERROR password=[redacted]", match: false },
  ]);
  // Only a thread may do slow work, so as not to delay acks: a search, a long log, a log of very many lines, many secrets.
  const long = { ...page, lines: [{ text: "x".repeat(9_000) }] };
  const many = { ...page, lines: Array.from({ length: 9_000 }, () => ({ text: "" })) };
  const environment = Array.from({ length: 100 }, (_, at) => `a-secret-value-of-many-${at}`);
  expect(await refusal(pool.excerpt({ ...short, grep: "error" }, asked("dana")))).toBe(busy);
  expect(await refusal(pool.excerpt(long, asked("dana")))).toBe(busy);
  expect(await refusal(pool.excerpt(many, asked("dana")))).toBe(busy);
  expect(await refusal(pool.excerpt({ ...short, secrets: environment }, asked("dana")))).toBe(busy);
});

test("an invalid expression gets its own error, and an ended thread is replaced", async () => {
  const pool = poolOf({ threads: 1 });

  expect(await refusal(pool.excerpt({ ...cheap, grep: "(open" }, asked("dana")))).toContain("missing closing )");
  const slow = refusal(pool.excerpt(expensive, asked("dana")));
  await pool.begun(2);
  await pool.limitPasses();
  expect(await slow).toContain("too slow");
  expect((await pool.excerpt(cheap, asked("dana"))).matched).toBe(1);
});

test("when the queue is full, the next caller is asked to try again", async () => {
  const pool = poolOf({ threads: 1, mostWaiting: 1 });

  const all = ["dana", "alex", "gwen"].map((who) => refusal(pool.excerpt(expensive, asked(who))));

  expect(await all[2]).toBe("Too many logs are being read right now. Try again in a few seconds.");
});

test("an aborted caller and a closed pool leave no thread behind", async () => {
  const pool = poolOf({ threads: 1 });
  const giving = new AbortController();
  const under = refusal(pool.excerpt(expensive, { who: "dana", signal: giving.signal }));
  const waiting = refusal(pool.excerpt(expensive, { who: "alex", signal: giving.signal }));
  await sleep(0);
  giving.abort(new Error("the bot stops"));

  expect([await under, await waiting]).toEqual(["Error: the bot stops", "Error: the bot stops"]);
  const short = { ...page, lines: [{ text: "ok" }] };
  expect(await refusal(pool.excerpt(short, { who: "dana", signal: giving.signal }))).toBe("Error: the bot stops");
  const last = refusal(pool.excerpt(expensive, asked("gwen")));
  await pool.close();
  expect(await last).toMatch(/log thread/u);
  expect(await refusal(pool.excerpt(cheap, asked("dana")))).toContain("were closed");
});

test("lines of one writer come back redacted, known values too", async () => {
  const lines = ["\u001b[31mlogin of bob:swordfish", "all well"];

  expect(await poolOf().redact({ lines, secrets: ["bob:swordfish"] }, asked("health"))).toEqual([
    "login of [redacted]",
    "all well",
  ]);
});
