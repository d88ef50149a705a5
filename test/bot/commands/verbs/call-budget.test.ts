import { expect, test } from "vitest";
import { report, web } from "../../views/support/workloads.ts";
import { answerTo, scripted } from "../support/script.ts";

test.each([
  "list",
  "list services",
  "show web",
  "show job/report",
  "why web",
  "why job/report",
  "logs web",
  "logs job/report",
  "whoami",
  "help",
  "pending",
  "history",
  "history web --json",
  "can-i scale web 3",
])("%s costs at most two calls of the API, after a list", async (words) => {
  const town = scripted({ services: [web], jobs: [{ ...report, instance_names: ["report-1"] }] });
  await answerTo("list", town);
  town.calls.length = 0;

  await answerTo(words, town);

  expect(town.calls.length).toBeLessThanOrEqual(2);
});
