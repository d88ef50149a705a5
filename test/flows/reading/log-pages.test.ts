import { describe, expect, test } from "vitest";
import { daysBefore, logDate } from "../../../src/api/log-pages.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { form } from "../../support/speak.ts";
import { type Person, type World, world } from "../../support/world.ts";

type Line = { instance_name: string; log: string };

/** The log of `web`, by day; other names are unknown. */
function logsOf(days: Readonly<Record<string, readonly Line[]>>): (request: Request) => Promise<Response> {
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith("/services/web/logs")) {
      const lines = days[searchParams.get("date") ?? ""] ?? [];
      const end = Math.max(0, lines.length - Number(searchParams.get("from")));
      return Response.json(lines.slice(Math.max(0, end - Number(searchParams.get("size"))), end));
    }
    if (pathname.endsWith("/services/web"))
      return Response.json({ name: "web", status: "Running", target_instance_size: 2 });
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services: [{ name: "web" }] });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

function lines(from: number, to: number): Line[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    instance_name: `web-${at % 2}`,
    log: `${(from + at) % 5 === 0 ? "ERROR" : "ok"} line ${from + at}.`,
  }));
}

const today = logDate(BEGINNING, "UTC");
const yesterday = daysBefore(today, 1);

async function says(town: World, text: string): Promise<void> {
  await town.developer.says(text, { channel: "ops" });
  await town.settled();
}

async function clicks(town: World, person: Person, label: string): Promise<void> {
  await person.clicks(label);
  await town.settled();
}

/** The numbers of the lines in the newest message that has any. */
function shown(person: Person): number[] {
  const text = person.sees("ops").findLast((message) => / line \d+\./u.test(message.text))?.text ?? "";
  return [...text.matchAll(/ line (\d+)\./gu)].map(([, number]) => Number(number));
}

function range(from: number, to: number): number[] {
  return lines(from, to).map((_, at) => from + at);
}

describe("pages of a log, in its thread", () => {
  test("Older and Newer follow each other without a gap, although lines arrive in between", async () => {
    const log = lines(1, 40);
    await using town = await world({ apiFetch: (request) => logsOf({ [today]: log })(request) });
    const { developer, approver } = town;
    await says(town, "/gantry logs web --size 10");
    expect(shown(approver)).toEqual(range(31, 40));

    await clicks(town, approver, "Older");
    expect(shown(developer)).toEqual(range(21, 30));
    log.push(...lines(41, 47));
    await clicks(town, approver, "Newer");
    expect(shown(developer)).toEqual(range(31, 40));
    await clicks(town, approver, "Newer");
    expect(shown(developer)).toEqual(range(41, 47));

    await clicks(town, approver, "Newer");
    expect(developer.sees("ops").at(-1)?.text).toContain("web has no new log lines since that page.");
    log.push(...lines(48, 49));
    await clicks(town, approver, "Newer");
    expect(shown(developer)).toEqual([48, 49]);
    const threads = new Set(developer.sees("ops").map(({ threadTs, ts }) => threadTs ?? ts));
    expect(threads.size).toBe(1);
  });

  test("an older page goes on where the last one began, although lines arrived in between", async () => {
    const log = lines(1, 1_400);
    await using town = await world({ apiFetch: (request) => logsOf({ [today]: log })(request) });
    await says(town, "/gantry logs web --size 10");

    log.push(...lines(1_401, 1_403));
    await clicks(town, town.developer, "Older");
    expect(shown(town.developer)).toEqual(range(1_381, 1_390));

    log.push(...lines(1_404, 2_380));
    const calls = town.calls().length;
    await clicks(town, town.developer, "Older");
    expect(shown(town.developer)).toEqual(range(1_371, 1_380));
    expect(town.calls().length - calls).toBe(2);
    expect(town.thread("ops").join("\n")).not.toContain("previous page");
  });

  test("a page that isn't found again, because too much arrived, is the one that was asked for", async () => {
    const log = lines(1, 40);
    await using town = await world({ apiFetch: (request) => logsOf({ [today]: log })(request) });
    await says(town, "/gantry logs web --size 10");

    log.push(...lines(41, 3_000));
    await clicks(town, town.developer, "Older");
    expect(shown(town.developer)).toEqual(range(2_981, 2_990));
  });

  test("the filter and the instance are kept on every page, and Filter opens the form with them", async () => {
    await using town = await world({ apiFetch: logsOf({ [today]: lines(1, 40) }) });
    const { developer } = town;
    await says(town, "/gantry logs web --size 20 --grep error --instance web-0");
    expect(shown(developer)).toEqual([25, 35]);

    await clicks(town, developer, "Older");
    expect(shown(developer)).toEqual([5, 15]);
    expect(town.thread("ops").at(-2)).toContain("instance web-0 · 2 match error");
    await clicks(town, developer, "Filter");
    expect(form(developer)).toMatch(/service\/web[\s\S]*error[\s\S]*web-0/u);
  });

  test("at the beginning of a day, the day before is one click away, and back", async () => {
    await using town = await world({ apiFetch: logsOf({ [yesterday]: lines(1, 4), [today]: lines(5, 6) }) });
    const { developer } = town;
    await says(town, "/gantry logs web");

    await clicks(town, developer, "Previous day");
    expect(shown(developer)).toEqual([1, 2, 3, 4]);
    expect(town.thread("ops").join("\n")).toContain("📄 web · all 4 lines of yesterday");
    await clicks(town, developer, "Next day");
    expect(shown(developer)).toEqual([5, 6]);
  });

  test("a day without lines leads to the day before, and can be checked again", async () => {
    const log: Line[] = [];
    await using town = await world({ apiFetch: (request) => logsOf({ [today]: log })(request) });
    const { developer } = town;
    await says(town, "/gantry logs web");
    expect(developer.sees("ops").at(-1)?.text).toMatch(
      /web has no log lines today[\s\S]*\[Previous day\] \[Check again\]/u,
    );

    log.push(...lines(1, 2));
    await clicks(town, developer, "Check again");
    expect(shown(developer)).toEqual([1, 2]);
  });
});

describe("logs requested from a message that only I see", () => {
  test("are for me only, page in place, and are posted to the channel by a button that says so", async () => {
    await using town = await world({ apiFetch: logsOf({ [today]: lines(1, 150) }) });
    const { developer, approver } = town;
    await says(town, "/gantry show web");

    await clicks(town, developer, "Logs");
    expect(shown(developer)).toEqual(range(51, 150));
    expect(approver.sees("ops")).toEqual([]);
    const count = developer.sees("ops").length;
    await clicks(town, developer, "Older");
    expect(shown(developer)).toEqual(range(1, 50));
    expect(developer.sees("ops").length).toBe(count);
    expect(approver.sees("ops")).toEqual([]);

    await clicks(town, developer, "Post to channel");
    expect(shown(approver)).toEqual(range(1, 50));
    expect(town.thread("ops")[0]).toContain("Requested by Dana Reyes");
  });

  test("stay private in a thread, where other answers are for everybody", async () => {
    await using town = await world({ apiFetch: logsOf({ [today]: lines(1, 3) }) });
    const { developer, approver } = town;
    const { ts = "" } = await approver.says("web is slow", { channel: "ops" });
    await developer.uses("logs_into_thread", { ts });
    await town.settled();
    await clicks(town, developer, "More settings");

    await developer.submits({ private: "Only me" });
    await town.settled();

    expect(shown(developer)).toEqual([1, 2, 3]);
    expect(shown(approver)).toEqual([]);
  });
});

test("when the logs can't be read, a button tries again, for everybody as before", async () => {
  let isDown = true;
  const healthy = logsOf({ [today]: lines(1, 3) });
  await using town = await world({
    apiFetch: (request) => (isDown ? Promise.reject(new TypeError("fetch failed")) : healthy(request)),
  });
  const { developer, approver } = town;
  await says(town, "/gantry logs web");
  expect(developer.sees("ops").at(-1)?.text).toContain("[Try again]");

  isDown = false;
  await clicks(town, developer, "Try again");
  expect(shown(approver)).toEqual([1, 2, 3]);
});

test("a job that hasn't started has no logs yet, and a button looks again", async () => {
  let instances: string[] = [];
  await using town = await world({
    apiFetch: async ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname.endsWith("/jobs/nightly")) {
        return Response.json({ metadata: { name: "nightly" }, status: {}, instance_names: instances });
      }
      if (pathname.includes("/nightly-0")) return Response.json(["ok line 1."]);
      return Response.json({ message: "no such thing" }, { status: 404 });
    },
  });
  const { developer, approver } = town;
  await says(town, "/gantry logs job/nightly");
  expect(developer.sees("ops").at(-1)?.text).toMatch(/Job nightly hasn't started yet[\s\S]*\[Try again\]/u);

  instances = ["nightly-0"];
  await clicks(town, developer, "Try again");
  expect(shown(approver)).toEqual([1]);
});
