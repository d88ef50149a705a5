import { describe, expect, test } from "vitest";
import { daysBefore, logDate } from "../../../../../src/api/log-pages.ts";
import { numberedLines, numbersIn, range, servedLogs } from "../../../../support/served-log.ts";
import { drawn, drawnAll } from "../../../views/support/drawn.ts";
import { carried, click } from "../../support/buttons.ts";
import { answerTo, now, scripted } from "../../support/script.ts";

const today = logDate(now, "UTC");

/** Every fifth line is an error. */
const lines = (from: number, to: number) =>
  numberedLines(from, to, (at) => `${at % 5 === 0 ? "ERROR" : "ok"} line ${at}.`);

describe("pages of a log", () => {
  test("an older page goes on where the last one began, although lines arrived in between", async () => {
    const log = lines(1, 1_400);
    const town = scripted({ apiFetch: servedLogs({ web: { [today]: log } }) });
    const newest = await answerTo("logs web --size 10", town);

    log.push(...lines(1_401, 1_403));
    const older = await click(newest, "Older", town);
    log.push(...lines(1_404, 2_385));
    town.calls.length = 0;
    const oldest = await click(older, "Older", town);

    expect(numbersIn(drawnAll(newest))).toEqual(range(1_391, 1_400));
    expect(numbersIn(drawnAll(older))).toEqual(range(1_381, 1_390));
    expect(numbersIn(drawnAll(oldest))).toEqual(range(1_371, 1_380));
    expect(town.calls.filter((op) => op === "getServiceLogs")).toHaveLength(2);
    expect(drawnAll(older) + drawnAll(oldest)).not.toContain("previous page");
  });

  test("a page that isn't found again, because too much arrived, is the one that was asked for", async () => {
    const log = lines(1, 40);
    const town = scripted({ apiFetch: servedLogs({ web: { [today]: log } }) });
    const newest = await answerTo("logs web --size 10", town);

    log.push(...lines(41, 3_000));

    expect(numbersIn(drawnAll(await click(newest, "Older", town)))).toEqual(range(2_981, 2_990));
  });

  test("the filter and the instance are kept on every page, and Filter opens the form with them", async () => {
    const town = scripted({ apiFetch: servedLogs({ web: { [today]: lines(1, 40) } }) });
    const newest = await answerTo("logs web --size 20 --grep error --instance web-0", town);
    const older = await click(newest, "Older", town);

    expect(numbersIn(drawnAll(newest))).toEqual([25, 35]);
    expect(numbersIn(drawnAll(older))).toEqual([5, 15]);
    expect(drawnAll(older)).toContain("instance web-0 · 2 match error");
    expect(carried(older, "Filter")).toMatchObject({
      verb: "logs",
      values: { name: "service/web", instance: "web-0", grep: "error", size: "20" },
    });
  });

  test("at the beginning of a day, the day before is one click away, and back", async () => {
    const town = scripted({
      apiFetch: servedLogs({ web: { [daysBefore(today, 1)]: lines(1, 4), [today]: lines(5, 6) } }),
    });
    const newest = await answerTo("logs web", town);
    const before = await click(newest, "Previous day", town);
    const after = await click(before, "Next day", town);

    expect(drawnAll(before)).toContain("📄 web · all 4 lines of yesterday");
    expect(numbersIn(drawnAll(before))).toEqual([1, 2, 3, 4]);
    expect(numbersIn(drawnAll(after))).toEqual([5, 6]);
  });

  test("a day without lines leads to the day before, and can be checked again", async () => {
    const log = lines(1, 0);
    const town = scripted({ apiFetch: servedLogs({ web: { [today]: log } }) });
    const empty = await answerTo("logs web", town);

    log.push(...lines(1, 2));

    expect(drawn(empty)).toMatch(/web has no log lines today[\s\S]*\[Previous day\] \[Check again\]/u);
    expect(numbersIn(drawnAll(await click(empty, "Check again", town)))).toEqual([1, 2]);
  });
});

test("the file of a day has each line once and in order, although lines arrive while it is read", async () => {
  const log = numberedLines(1, 2_500);
  const served = servedLogs({ web: { [today]: log } });
  const town = scripted({
    async apiFetch(request) {
      const answer = await served(request);
      if (request.url.includes("/logs")) log.push(...numberedLines(log.length + 1, log.length + 1));
      return answer;
    },
  });

  const message = await answerTo("logs service/web --file", town);

  expect(drawn(message)).toContain("web · all 2,500 lines of today");
  expect(numbersIn(message.thread?.files[0]?.content ?? "")).toEqual(range(1, 2_500));
});

test("the file of a very long day says that older lines aren't in it", async () => {
  const town = scripted({ apiFetch: servedLogs({ web: { [today]: numberedLines(1, 12_000) } }) });

  const message = await answerTo("logs service/web --file", town);

  expect(drawn(message)).toContain("Older lines of this day aren't in the file: it is long.");
  expect(town.calls.filter((op) => op === "getServiceLogs")).toHaveLength(12);
});
