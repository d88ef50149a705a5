import { describe, expect, test } from "vitest";
import type { Context } from "../../../../../src/bot/commands/command.ts";
import { parseText } from "../../../../../src/bot/commands/grammar/parse.ts";
import type { LogPoll } from "../../../../../src/bot/commands/verbs/logs/log-answers.ts";
import { pollLog } from "../../../../../src/bot/commands/verbs/logs/followed-log.ts";
import { followEnded, followHead } from "../../../../../src/bot/commands/verbs/logs/following.ts";
import { logs } from "../../../../../src/bot/commands/verbs/logs/logs.ts";
import { logDate } from "../../../../../src/api/log-pages.ts";
import { type Line, numbersIn, range, servedLogs } from "../../../../support/served-log.ts";
import type { Fetch } from "../../../../support/world-service.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { now, scripted } from "../../support/script.ts";

type Follow = {
  readonly begun: LogPoll;
  /** What a look brings, so many minutes after the last one. */
  readonly looks: (minutes?: number) => Promise<LogPoll>;
};

const facts = { id: "f1", requester: "Dana Reyes", forMs: 600_000 };

async function follow(words: string, apiFetch: Fetch): Promise<Follow> {
  const { context } = scripted({ apiFetch });
  const { ask } = parseText(words);
  const begun = await logs.follow?.(ask, context);
  if (begun === undefined) throw new Error(`${words} follows nothing`);
  let { log } = begun.poll;
  let at = now.getTime();
  return {
    begun: begun.poll,
    async looks(minutes = 0.5) {
      at += minutes * 60_000;
      const later: Context = { ...context, now: new Date(at) };
      const look = await pollLog(log, later);
      ({ log } = look);
      return look;
    },
  };
}

function served(log: readonly Line[], service: object = {}): Fetch {
  return servedLogs({ web: { [logDate(now, "UTC")]: log } }, service);
}

function lines(from: number, to: number): Line[] {
  return range(from, to).map((at) => ({ instance_name: "web-0", log: `line ${at}.` }));
}

/** The end of a follow, as its message says it. */
function ended({ log, over = "it goes on", shown, skipped }: LogPoll): string {
  return drawn(followEnded({ ...facts, ask: log.ask, name: log.name, why: over, afterMs: 60_000, shown, skipped }));
}

describe("a log that is followed ends", () => {
  test.each([
    ["was deleted", undefined, "The service was deleted."],
    ["is stopped", { status: "Stopped", target_instance_size: 1 }, "The service is stopped."],
    ["has no instances", { status: "Running", target_instance_size: 0 }, "The service has no instances."],
    ["is idle", { status: "Idle", size_set_by: "autoscaler a" }, "The service is idle, autoscaler a brings it back."],
  ])("when the workload %s", async (_, service, sentence) => {
    let answer = served(lines(1, 3));
    const { begun, looks } = await follow("logs web --follow", (request) => answer(request));

    answer = service === undefined ? servedLogs({}) : served(lines(1, 3), service);

    expect(numbersIn(begun.text)).toEqual([1, 2, 3]);
    expect(ended(await looks(1))).toContain(sentence);
  });

  test("when a job fails and its instance is gone with the log, as on Kubernetes, but not because it was deleted", async () => {
    let job: object = { status: { active: 1 }, instance_names: ["n-1"] };
    let isGone = false;
    const { looks } = await follow("logs job/nightly --follow", async ({ url }) => {
      if (!url.includes("/logs")) return Response.json({ metadata: { name: "nightly" }, ...job });
      return isGone ? Response.json({ message: "no instance" }, { status: 404 }) : Response.json(["line 1."]);
    });

    isGone = true;
    expect((await looks()).over).toBeUndefined();
    job = { status: { failed: 7, conditions: [{ type: "Failed", status: "True" }] }, instance_names: [] };

    expect((await looks()).over).toBe("the job failed");
  });

  test("when a job does, with its last lines, after its attempts", async () => {
    let instance_names = ["n-1"];
    let conditions: object[] = [];
    const written: Record<string, string[]> = { "n-1": ["line 1."], "n-2": ["line 3."] };
    const { begun, looks } = await follow("logs job/nightly --follow", async ({ url }) => {
      const [, instance = ""] = /instances\/(n-\d)\/logs/u.exec(url) ?? [];
      if (instance !== "") return Response.json(written[instance]);
      return Response.json({ metadata: { name: "nightly" }, status: { conditions }, instance_names });
    });

    written["n-1"]?.push("line 2.");
    const told = [begun, await looks(1)];
    instance_names = ["n-1", "n-2"];
    told.push(await looks(1), await looks(1));
    written["n-2"]?.push("line 4.");
    conditions = [{ type: "Complete", status: "True" }];
    told.push(await looks(1), await looks(1));

    expect(told.flatMap(({ text }) => numbersIn(text))).toEqual([1, 2, 3, 4]);
    expect(told.map(({ over }) => over).filter((over) => over !== undefined)).toEqual(["the job completed"]);
    const last = told.at(-1);
    expect(last && ended(last)).toContain("The job completed.");
  });
});

test("what is too much is counted, what is missing is said, and secrets are hidden across looks", async () => {
  const log = lines(1, 3);
  const { looks } = await follow("logs web --follow", served(log));

  log.push(...lines(4, 103));
  const tooMuch = await looks();
  log.push(...lines(104, 3_000));
  const missing = await looks();
  log.push({ instance_name: "web-0", log: "DB_PASSWORD:" });
  const name = await looks();
  log.push({ instance_name: "web-0", log: "  tunafishtunafish" }, { instance_name: "web-1", log: "hello" });
  const value = await looks();

  expect(tooMuch.text.split("\n")[0]).toBe("⋯ 60 lines skipped: too many at once");
  expect(numbersIn(tooMuch.text)).toEqual(range(64, 103));
  expect(tooMuch).toMatchObject({ shown: 40, skipped: 60 });
  expect(missing.text).toContain("⋯ lines are missing here: more came than the workload API gives at once");
  expect(name.text + value.text).not.toContain("tunafish");
  expect(value.text).toMatch(/web-1 │ hello/u);
});

test("the last lines of a day may come after midnight, and the new day is told from its first line", async () => {
  const days: Record<string, Line[]> = { "2026.11.21": lines(1, 3), "2026.11.22": [] };
  const { looks } = await follow("logs web --follow", servedLogs({ web: days }));
  await looks(12 * 60 - 1);

  const after = await looks(1 + 2 / 60);
  days["2026.11.21"]?.push(...lines(4, 5));
  days["2026.11.22"]?.push(...lines(6, 6));
  const told = [after, await looks(3 / 60), await looks(10 / 60), await looks(), await looks()];

  expect(told.map(({ text }) => numbersIn(text))).toEqual([[], [4, 5], [], [6], []]);
});

test("that the log is another one, or that its lines are alike, is said, the latter once", async () => {
  const days: Record<string, Line[]> = { "2026.11.21": lines(1, 9) };
  const { looks } = await follow("logs web --follow", servedLogs({ web: days }));
  const alike = (count: number): Line[] => Array.from({ length: count }, () => ({ instance_name: "web-1", log: "x" }));

  days["2026.11.21"]?.splice(0, 9, ...lines(20, 22));
  expect((await looks()).text).toMatch(/^⋯ the log was rotated or replaced here: .*\n.*line 20\./u);
  days["2026.11.21"]?.push(...alike(1_100));
  expect((await looks()).text).toMatch(/^⋯ lines are missing here: more came/u);
  expect((await looks()).text).toBe("⋯ its newest lines are alike: some of them may be missing from here on");
  days["2026.11.21"]?.push(...alike(1));
  expect((await looks()).text).toBe("");
});

test("a filter, an instance and hostile lines", async () => {
  const log = lines(1, 3);
  const { begun, looks } = await follow("logs web --follow --grep error --instance web-1", served(log));

  log.push(
    { instance_name: "web-1", log: "ERROR line 4." },
    { instance_name: "web-0", log: "ERROR line 5." },
    { instance_name: "web-1", log: "fine line 6." },
    {
      instance_name: "web-1",
      log: `ERROR <!channel> \`\`\` *x* \u001b[31mred\u202e\u0000 ${"y".repeat(200_000)} line 7.`,
    },
    { instance_name: "web-1", log: "ERROR \ud800 line 8." },
  );
  const { text } = await looks();

  expect(drawn(followHead({ ...facts, ask: begun.log.ask, name: "web" }))).toContain(
    "▶️ Following web · instance web-1 · error · for 10 min",
  );
  expect(numbersIn(text)).toEqual([4, 8]);
  expect(text).toContain("… (cut)");
  expect(text.length).toBeLessThan(4_000);
  expect(text).not.toContain("\u202e");
});

test.each([
  ["--private", "`--follow` and `--private` can't be used together."],
  ["--for 3h", "--for takes a time from 1m to 60m, such as 10m."],
  ["--grep (", "I can't search for this regular expression: missing closing ): `(?i)(`."],
])("nothing is followed, or read, with %s", async (flags, message) => {
  let calls = 0;
  const begun = async () =>
    follow(`logs web --follow ${flags}`, async () => {
      calls += 1;
      return Response.json([]);
    });

  await expect(begun()).rejects.toMatchObject({ message });
  expect(calls).toBe(0);
});
