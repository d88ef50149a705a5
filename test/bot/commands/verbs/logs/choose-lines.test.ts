import { describe, expect, test } from "vitest";
import { logDate } from "../../../../../src/api/log-pages.ts";
import { parseText } from "../../../../../src/bot/commands/grammar/parse.ts";
import { logs } from "../../../../../src/bot/commands/verbs/logs/logs.ts";
import { type Line, numberedLines, numbersIn, range, servedLogs } from "../../../../support/served-log.ts";
import { drawnAll } from "../../../views/support/drawn.ts";
import { click } from "../../support/buttons.ts";
import { answerTo, now, scripted, type Scripted } from "../../support/script.ts";

const today = logDate(now, "UTC");
const dayMs = Date.parse(`${now.toISOString().slice(0, 10)}T00:00:00Z`);

/** So many seconds after midnight. */
const secondOfDay = (second: number): string => new Date(dayMs + second * 1_000).toISOString();

function line(log: string, instance_name = "web-0"): Line {
  return { instance_name, log };
}

/** A line each second, with its time. */
function timed(from: number, to: number, step = 1): Line[] {
  return range(from, to).map((at) => line(`${secondOfDay(at * step)} line ${at * step}.`));
}

function logging(lines: readonly Line[], service = {}): Scripted {
  return scripted({ apiFetch: servedLogs({ web: { [today]: lines } }, service) });
}

async function told(words: string, town: Scripted): Promise<string> {
  return drawnAll(await answerTo(words, town));
}

describe("the lines around a time", () => {
  test("are found by a clock in the reader's zone, and the pages beside them follow", async () => {
    const { context, ...rest } = logging(timed(0, 59));
    const town = { ...rest, context: { ...context, asker: { ...context.asker, zone: "Europe/Berlin" } } };

    const around = await answerTo("logs web --size 10 --around 1:00:30", town);
    const older = await click(around, "Older", town);

    expect(numbersIn(drawnAll(around))).toEqual(range(25, 34));
    expect(drawnAll(around)).toContain("web · 10 lines around");
    expect(numbersIn(drawnAll(older))).toEqual(range(15, 24));
  });

  test("are found far back with three calls at most", async () => {
    const town = logging(timed(0, 29_999, 2));

    const around = await told(`logs service/web --size 4 --around ${secondOfDay(20_000)}`, town);

    expect(numbersIn(around)).toEqual([19_996, 19_998, 20_000, 20_002]);
    expect(town.calls.filter((op) => op === "getServiceLogs").length).toBeLessThanOrEqual(3);
  });

  test("are said to be before or after it where the log has none around it", async () => {
    const town = logging(timed(3_600, 3_659));

    const after = await told(`logs web --size 10 --around ${secondOfDay(600)}`, town);
    const before = await told(`logs web --size 1 --around ${secondOfDay(7_200)}`, town);

    expect(after).toContain("web · first 10 lines after");
    expect(numbersIn(after)).toEqual(range(3_600, 3_609));
    expect(before).toContain("web · last line before");
    expect(numbersIn(before)).toEqual([3_659]);
  });

  test.each([
    ["--around 0:00", "These log lines have no times, so `--around` can't find that moment."],
    ["--around 12am", "These log lines have no times, so `--around` can't find that moment."],
    ...["25:00", "13pm", "14:03:60", "noonish"].map((none) => [
      `--around ${none}`,
      `I can't read the time “${none}”. Write it as 14:03, or as 2026-11-20T14:03:00Z.`,
    ]),
    ["--around 10:00 --previous", "`--around` and `--previous` can't be used together."],
  ])("aren't found by %s, which is said", async (flags, message) => {
    const answer = async (): Promise<string> => told(`logs web ${flags}`, logging([line("no time")]));

    await expect(answer()).rejects.toMatchObject({ message });
  });
});

describe("the run before", () => {
  const crashing = [
    line("starting"),
    line("the first run"),
    line("[gantry] web-0 exited with code 1, restarting in 1 s"),
    line("starting"),
    line("out of disk"),
    line("fine here", "web-1"),
    line("[gantry] web-0 exited with code 3, restarting in 2 s"),
    line("starting"),
  ];

  test("is what the instance wrote between two ends, and a button leads there", async () => {
    const town = logging(crashing);

    const before = drawnAll(await click(await answerTo("logs web", town), "Show the run before", town));

    expect(before).toContain("web · 3 lines of the run before · exited with code 3");
    expect(before).toMatch(/starting\nout of disk\n\[gantry\] web-0 exited with code 3/u);
    expect(before).not.toMatch(/the first run|fine here/u);
  });

  test("is told by the workload API and the times in the lines, where the log doesn't say it", async () => {
    const last_state = { exit_code: 137, reason: "OOMKilled", finished_at: secondOfDay(30) };

    const before = await told("logs web --previous --size 3", logging(timed(0, 59), { last_state }));

    expect(before).toContain("3 lines before the last restart · exited with code 137 (out of memory)");
    expect(numbersIn(before)).toEqual([28, 29, 30]);
  });

  test("is that of the instance which a deploy, a rollback or a restart replaced last", async () => {
    const lines = [
      line("starting", "web-0"),
      line("stopping", "web-0"),
      line("no answer from the database", "web-0-g2"),
      line("fine here", "web-1"),
      line("no answer from the database, stopping", "web-0-g2"),
      line("back at work", "web-0-g3"),
    ];
    const service = { restart_count: 0, instance_names: ["web-0-g3", "web-1"] };

    const before = await told("logs web --previous", logging(lines, service));

    expect(before).toContain("web · 2 lines of the run before · instance web-0-g2");
    expect(before).toMatch(/no answer from the database\nno answer from the database, stopping/u);
    expect(before).not.toMatch(/fine here|starting|back at work/u);
  });

  test("is that of the instance that was asked for, though another one was replaced later", async () => {
    const lines = [line("first of web-0"), line("second of web-0"), line("of web-1", "web-1"), line("new", "web-0-g2")];
    const service = { restart_count: 0, instance_names: ["web-0-g2", "web-1-g2"] };

    const before = await told("logs web --instance web-0 --previous", logging(lines, service));

    expect(before).toMatch(/first of web-0\nsecond of web-0/u);
    expect(before).not.toContain("of web-1");
  });

  const rolled = { created_at: secondOfDay(0 - 86_400), restart_count: 0, instance_names: ["web-0"] };

  test.each([
    ["rollout", { rollout: { state: "done", since: secondOfDay(30) } }],
    ["revision", { revisions: [{ revision: 2, is_current: true, created_at: secondOfDay(30) }, { revision: 1 }] }],
  ])("of an instance that keeps its name ends where the last %s begins", async (_, began) => {
    const town = logging(timed(0, 59), { ...rolled, ...began });

    const before = await told("logs web --previous --size 3", town);

    expect(before).toContain("3 lines before the last rollout ·");
    expect(numbersIn(before)).toEqual([28, 29, 30]);
  });

  test("ends with a restart, if that came after the rollout", async () => {
    const rollout = { state: "done", since: secondOfDay(30) };
    const town = logging(timed(0, 59), { ...rolled, rollout, restarts: { count: 1, last_at: secondOfDay(40) } });

    const before = await told("logs web --previous --size 3", town);

    expect(before).toContain("3 lines before the last restart ·");
    expect(numbersIn(before)).toEqual([38, 39, 40]);
  });

  test.each([
    ["it was only created", 20, "web hasn't crashed, and its newest log lines show no earlier run."],
    ["the log of that day is gone", -86_400 * 3, "The log has no lines of that day."],
  ])("isn't made up when %s", async (_, began, message) => {
    const rollout = { state: "done", since: secondOfDay(began) };
    const created_at = secondOfDay(began < 0 ? began - 3_600 : began);
    const town = logging(timed(0, 59), { ...rolled, created_at, rollout });

    await expect(told("logs web --previous", town)).rejects.toMatchObject({ message });
  });

  test.each([
    ["it never crashed", { restart_count: 0 }, "web hasn't crashed, and its newest log lines show no earlier run."],
    ["nothing says it", {}, "Nothing says when an earlier run of web ended: neither the log nor the workload API."],
  ])("isn't made up when %s", async (_, service, message) => {
    await expect(told("logs web --previous", logging(timed(1, 1), service))).rejects.toMatchObject({ message });
  });

  test("of a job is its instance before", async () => {
    const town = scripted({
      async apiFetch({ url }) {
        if (url.endsWith("/jobs/nightly")) {
          return Response.json({ metadata: { name: "nightly" }, status: {}, instance_names: ["n-1", "n-2"] });
        }
        const [, instance = ""] = /instances\/(n-\d)\/logs/u.exec(url) ?? [];
        return Response.json([`lines of ${instance}`]);
      },
    });

    expect(await told("logs job/nightly --previous", town)).toMatch(
      /the run before · instance n-1[\s\S]*lines of n-1/u,
    );
  });
});

describe("the matches of an expression", () => {
  const errors = logging(
    numberedLines(0, 29, (at) => (at === 10 || at === 20 ? `ERROR ${at}` : `ok ${at}`)).map(({ log }) => line(log)),
  );

  test("have lines around them, with a mark, by words and by a button", async () => {
    const byWords = await told("logs web --grep error -C 1", errors);
    const byButton = await click(await answerTo("logs web --grep error", errors), "Show lines around", errors);

    expect(byWords).toContain(" ok 9\n▸ ERROR 10\n  ok 11\n⋯\n  ok 19\n▸ ERROR 20\n  ok 21");
    expect(drawnAll(byButton)).toContain("  ok 7\n  ok 8\n  ok 9\n▸ ERROR 10");
  });

  test("are what lines are shown around, so there has to be one", async () => {
    await expect(told("logs web --context 3", errors)).rejects.toMatchObject({
      message: "`--context` shows lines around matches, so it needs `--grep TEXT`.",
    });
  });

  test("are the only lines that are shown, however it is quoted, and the head says how many of how many", async () => {
    const shown = await told("logs web --grep ‘error’", errors);

    expect(shown).toContain("all 30 lines of today · 2 match error");
    expect(shown).toContain("ERROR 20");
    expect(shown).not.toContain("ok");
  });
});

test("JSON is readable and repeated lines are one; Raw shows the same lines as they were written", async () => {
  const log = [
    line('{"level":"error","msg":"payment failed","order":77,"token":"abcdefghijkl"}'),
    ...Array.from({ length: 5 }, () => line("ping")),
  ];
  const town = logging(log);
  const shown = await answerTo("logs web", town);

  log.push(line("new"));
  const raw = drawnAll(await click(shown, "Show raw lines", town));

  expect(drawnAll(shown)).toMatch(/ERROR payment failed order=77 token=\[redacted\]\nping \(×5\)/u);
  expect(raw).toMatch(/"msg":"payment failed","order":77,"token":"\[redacted\]"\}\nping\nping\nping\nping\nping/u);
  expect(raw).not.toContain("new");
});

test.each([
  ["--date 2999-01-01", "2999-01-01 is in the future. In UTC, the zone of the logs, today is 2026-11-21."],
  ["--date 2026-02-30", "I don't know the day “2026-02-30”."],
  ["--grep (", "I can't search for this regular expression: missing closing ): `(?i)(`."],
  ["--for 5m", "`--for` says how long to follow, so it needs `--follow`."],
])("%s costs no call", async (flags, message) => {
  const town = logging(numberedLines(1, 3));

  await expect(told(`logs web ${flags}`, town)).rejects.toMatchObject({ message });

  expect(town.calls).toEqual([]);
});

test("a job that hasn't started has no logs yet, and a button looks again", async () => {
  let instances: string[] = [];
  const town = scripted({
    async apiFetch({ url }) {
      if (!url.endsWith("/jobs/nightly")) return Response.json(["line 1."]);
      return Response.json({ metadata: { name: "nightly" }, status: {}, instance_names: instances });
    },
  });
  const { ask } = parseText("logs job/nightly");
  const error: unknown = await logs.answer(ask, town.context).catch((thrown: unknown) => thrown);

  instances = ["nightly-0"];
  const buttons = { text: "", blocks: logs.onFailure?.(ask, error) ?? [] };

  expect(error).toMatchObject({ message: "Job nightly hasn't started yet, so it has no logs." });
  expect(numbersIn(drawnAll(await click(buttons, "Try again", town)))).toEqual([1]);
});

test("a job that failed, and whose instances are gone, isn't told as one that hasn't started", async () => {
  const town = scripted({
    apiFetch: async () => Response.json({ metadata: { name: "nightly" }, status: { failed: 7 }, instance_names: [] }),
  });

  await expect(logs.answer(parseText("logs job/nightly").ask, town.context)).rejects.toMatchObject({
    message: "The instances of job nightly are gone, with their logs.",
  });
});

test("a name that there isn't is told with the one that it is near to", async () => {
  const town = logging([]);

  await expect(told("logs wbe", town)).rejects.toMatchObject({
    next: "Did you mean `web`?",
    suggestions: [{ label: "Logs web", ask: { verb: "logs", args: { name: "web" } } }],
  });
});
