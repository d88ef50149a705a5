import { describe, expect, test } from "vitest";
import { logDate } from "../../../src/api/log-pages.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { newest, type World, world } from "../../support/world.ts";

type Line = { instance_name: string; log: string };
type Service = Readonly<Record<string, unknown>>;

/** A service `web` whose log of today is what the test says. */
function serviceLogging(lines: readonly Line[], service: Service = {}): (request: Request) => Promise<Response> {
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith("/services/web/logs")) {
      if (searchParams.get("date") !== logDate(BEGINNING, "UTC")) return Response.json([]);
      const end = Math.max(0, lines.length - Number(searchParams.get("from")));
      return Response.json(lines.slice(Math.max(0, end - Number(searchParams.get("size"))), end));
    }
    if (pathname.endsWith("/services/web")) return Response.json({ name: "web", status: "Running", ...service });
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services: [{ name: "web" }] });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

function line(log: string, instance_name = "web-0"): Line {
  return { instance_name, log };
}

async function says(town: World, text: string, channel = "ops"): Promise<string> {
  await town.developer.says(text, { channel });
  await town.settled();
  return newest(town.developer, channel);
}

async function clicks(town: World, label: string): Promise<void> {
  await town.developer.clicks(label);
  await town.settled();
}

/** Everything in the thread of #ops. */
function thread(town: World): string {
  return town.thread("ops").join("\n");
}

const dayMs = Date.parse(`${BEGINNING.toISOString().slice(0, 10)}T00:00:00Z`);

/** A line of so many seconds after midnight. */
function timed(second: number, text = `line ${second}.`): Line {
  return line(`${new Date(dayMs + second * 1_000).toISOString()} ${text}`);
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(/ line (\d+)\./gu)].map(([, number]) => Number(number));
}

describe("the lines around a time", () => {
  const midnightInBerlin = new Date(dayMs).toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin" });

  test("are found by a clock in the reader's zone, and the pages beside them follow", async () => {
    await using town = await world({ apiFetch: serviceLogging(Array.from({ length: 60 }, (_, at) => timed(at))) });

    await says(town, `/gantry logs web --size 10 --around ${midnightInBerlin.replace(/00$/u, "30")}`);
    expect(numbersIn(thread(town))).toEqual([25, 26, 27, 28, 29, 30, 31, 32, 33, 34]);
    expect(town.thread("ops")[0]).toContain("web · 10 lines around");

    await clicks(town, "Older");
    expect(numbersIn(town.thread("ops").at(-1) ?? "")).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  });

  test("are found far back with three calls at most, and the search can go on", async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => timed(at * 2));
    await using town = await world({ apiFetch: serviceLogging(lines) });
    const at = new Date(dayMs + 20_000_000).toISOString();

    await says(town, `/gantry logs service/web --size 4 --around ${at}`);
    expect(numbersIn(thread(town))).toEqual([19_996, 19_998, 20_000, 20_002]);
    expect(town.calls().filter((op) => op === "getServiceLogs").length).toBeLessThanOrEqual(3);
  });

  test("are said to be before or after it where the log has none around it", async () => {
    const lines = Array.from({ length: 60 }, (_, at) => timed(3_600 + at));
    await using town = await world({ apiFetch: serviceLogging(lines) });

    await says(town, `/gantry logs web --size 10 --around ${new Date(dayMs + 600_000).toISOString()}`);
    expect(town.thread("ops")[0]).toContain("web · first 10 lines after");
    expect(numbersIn(thread(town))[0]).toBe(3_600);

    await says(town, `/gantry logs web --size 1 --around ${new Date(dayMs + 7_200_000).toISOString()}`);
    const [head = "", reply = ""] = town.thread("ops").slice(-2);
    expect(head).toContain("web · last line before");
    expect(numbersIn(reply)).toEqual([3_659]);
  });

  test("that comes without times in the lines, or that is none, is said", async () => {
    await using town = await world({ apiFetch: serviceLogging([line("no time")]) });

    expect(await says(town, "/gantry logs web --around 0:00")).toContain("These log lines have no times");
    expect(await says(town, "/gantry logs web --around 25:00")).toContain("I can't read the time “25:00”");
    expect(await says(town, "/gantry logs web --around 10:00 --previous")).toContain("can't be used together");
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
    await using town = await world({ apiFetch: serviceLogging(crashing) });
    await says(town, "/gantry logs web");

    await clicks(town, "Run before");
    const [head = "", reply = ""] = town.thread("ops").slice(-2);
    expect(head).toContain("web · 3 lines of the run before · exited with code 3");
    expect(reply).toMatch(/starting\nout of disk\n\[gantry\] web-0 exited with code 3/u);
    expect(reply).not.toMatch(/the first run|fine here/u);
  });

  test("is told by the workload API and the times in the lines, where the log doesn't say it", async () => {
    const last_state = { exit_code: 137, reason: "OOMKilled", finished_at: new Date(dayMs + 30_000).toISOString() };
    const lines = Array.from({ length: 60 }, (_, at) => timed(at));
    await using town = await world({ apiFetch: serviceLogging(lines, { last_state }) });

    await says(town, "/gantry logs web --previous --size 3");
    expect(thread(town)).toContain("3 lines before the last restart · exited with code 137 (out of memory)");
    expect(numbersIn(thread(town))).toEqual([28, 29, 30]);
  });

  test.each([
    ["it never restarted", { restart_count: 0 }, "web hasn't restarted, so there is no run before."],
    ["nothing says it", {}, "Nothing says when an earlier run of web ended"],
  ])("isn't made up when %s", async (_, service, answer) => {
    await using town = await world({ apiFetch: serviceLogging([timed(1)], service) });

    expect(await says(town, "/gantry logs web --previous")).toContain(answer);
  });

  test("of a job is its instance before", async () => {
    await using town = await world({
      apiFetch: async ({ url }) => {
        const { pathname } = new URL(url);
        if (pathname.endsWith("/jobs/nightly")) {
          return Response.json({ metadata: { name: "nightly" }, status: {}, instance_names: ["n-1", "n-2"] });
        }
        const [, instance] = /instances\/(n-\d)\/logs$/u.exec(pathname) ?? [];
        if (instance !== undefined) return Response.json([`lines of ${instance}`]);
        return Response.json({ message: "no such thing" }, { status: 404 });
      },
    });

    await says(town, "/gantry logs job/nightly --previous");
    expect(thread(town)).toMatch(/the run before · instance n-1[\s\S]*lines of n-1/u);
  });
});

test("lines around each match are shown, matches marked, by words and by a button", async () => {
  const lines = Array.from({ length: 30 }, (_, at) => line(at === 10 || at === 20 ? `ERROR ${at}` : `ok ${at}`));
  await using town = await world({ apiFetch: serviceLogging(lines) });

  await says(town, "/gantry logs web --grep error -C 1");
  expect(thread(town)).toContain(" ok 9\n▸ ERROR 10\n  ok 11\n⋯\n  ok 19\n▸ ERROR 20\n  ok 21");

  await says(town, "/gantry logs web --grep error");
  await clicks(town, "Lines around");
  expect(thread(town)).toContain("  ok 7\n  ok 8\n  ok 9\n▸ ERROR 10");
  expect(await says(town, "/gantry logs web --context 3")).toContain("--context shows lines around matches");
});

test("JSON is readable and repeated lines are one; Raw shows the same lines as they were written", async () => {
  const log = [
    line('{"level":"error","msg":"payment failed","order":77,"token":"abcdefghijkl"}'),
    ...Array.from({ length: 5 }, () => line("ping")),
  ];
  await using town = await world({ apiFetch: async (request) => serviceLogging(log)(request) });
  await says(town, "/gantry logs web");
  expect(thread(town)).toMatch(/ERROR payment failed order=77 token=\[redacted\]\nping \(×5\)/u);

  log.push(line("new"));
  await clicks(town, "Raw");
  const raw = town.thread("ops").at(-1) ?? "";
  expect(raw).toMatch(/"msg":"payment failed","order":77,"token":"\[redacted\]"\}\nping\nping\nping\nping\nping/u);
  expect(raw).not.toContain("new");
});

describe("a whole day as a file", () => {
  test("has each line once and in order, although lines arrive while it is read", async () => {
    const log = Array.from({ length: 2_500 }, (_, at) => line(`line ${at}.`));
    await using town = await world({
      apiFetch: async (request) => {
        const answer = await serviceLogging(log)(request);
        if (request.url.includes("/logs")) log.push(line(`line ${log.length}.`));
        return answer;
      },
    });

    await says(town, "/gantry logs service/web --file");
    const [file] = town.developer.sees("ops").flatMap((message) => message.files);
    expect(numbersIn(` ${file?.content.replaceAll("\n", "\n ")}`)).toEqual(
      Array.from({ length: 2_500 }, (_, at) => at),
    );
    expect(town.thread("ops")[0]).toContain("web · all 2,500 lines of today");
  });

  test("of a very long day says that older lines aren't in it", async () => {
    const log = Array.from({ length: 12_000 }, (_, at) => line(`line ${at}.`));
    await using town = await world({ apiFetch: serviceLogging(log) });

    await says(town, "/gantry logs service/web --file");
    expect(thread(town)).toContain("Older lines of this day aren't in the file: it is long.");
    expect(town.calls().filter((op) => op === "getServiceLogs").length).toBe(12);
  });
});

test("of a service that crashes again and again, our own engine says where each run ended", async () => {
  await using town = await world();
  const containers = [{ image: "gantry/batch", command: ["1", "--exit", "3"] }];
  const path = { region: "beijing1", service_name: "flaky" };
  await town.api.send({
    op: "createService",
    path,
    query: undefined,
    body: { target_instance_size: 1, containers },
  });
  const query = { size: 1_000 };
  await town.until(async () => {
    const lines = await town.api.send({ op: "getServiceLogs", path, query, body: undefined });
    return lines.filter(({ log }) => log.includes("exited with code 3")).length >= 2;
  });

  await says(town, "/gantry logs service/flaky --previous");
  const [head = "", reply = ""] = town.thread("ops");
  expect(head).toMatch(/flaky · \d+ lines of the run before · exited with code 3/u);
  expect(reply.match(/exited with code 3/gu)?.length).toBe(1);
  expect(reply).toMatch(/step 1 of 1[\s\S]*\[gantry\] instance flaky-0 exited with code 3/u);
});
