import { expect, test } from "vitest";
import { logDate } from "../../../../../src/api/log-pages.ts";
import { numberedLines, numbersIn, range, servedLogs } from "../../../../support/served-log.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { answerTo, now, scripted } from "../../support/script.ts";

const today = logDate(now, "UTC");

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
