import { describe, expect, test } from "vitest";
import type { Ask } from "../../../../src/bot/ask.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { UserError } from "../../../../src/bot/errors.ts";
import { type HistoryEvent, unconfirmedText } from "../../../../src/bot/changes/history-event.ts";
import { report, service, web } from "../../views/support/workloads.ts";
import { answerTo, proposalTo, type Script, scripted, type Scripted } from "../support/script.ts";
import { event } from "../support/stored.ts";
import { underPolicy } from "../support/under-policy.ts";

/** What a person would be told when these words fail, and what the buttons under it would ask. */
async function failure(text: string, script: Script): Promise<UserError> {
  const isRead = parseText(text).command.effect === "read";
  const tried = isRead ? answerTo(text, script) : proposalTo(text, script);
  const error: unknown = await tried.then(
    () => new Error(`${text} did not fail`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserError)) throw error;
  return error;
}

test.each([
  ["show", "There is no service in beijing1 and no job in us named wbe.", "web"],
  ["restart", "There is no service named wbe in beijing1.", "service/web"],
  ["delete", "There is no service in beijing1 and no job in us named wbe.", "web"],
])("%s of an unknown name offers the near one", async (verb, message, name) => {
  const error = await failure(`${verb} wbe`, { services: [web] });

  expect(error).toMatchObject({ message, next: "Did you mean `web`?" });
  expect(error.suggestions.map(({ ask }) => ask)).toMatchObject([{ verb, args: { name } }]);
});

test("the button under a misspelt name asks the same with the right one", async () => {
  const { suggestions } = await failure("scale wbe 3", { services: [web] });

  const ask: Ask = { verb: "scale", share: false, args: { name: "service/web", size: "3" } };
  expect(suggestions).toEqual([{ label: "Scale web", ask }]);
});

test("a name that no workload can have is told as one, not in the words of the API", async () => {
  const script = { services: [web], jobs: [report] };
  expect(await failure("show web_", script)).toMatchObject({
    message: "There is no service in beijing1 and no job in us named web_.",
    next: "Did you mean `web`?",
  });

  for (const name of ["Web_1", "web.", "job/N!"]) {
    for (const verb of ["show", "why", "logs", "restart", "stop", "delete", "can-i stop"]) {
      const { message } = await failure(`${verb} ${name}`, script);
      expect(message, `${verb} ${name}`).toMatch(/^(?:There is no (?:service|job)|N! is a job, and)/u);
    }
    for (const words of [`scale ${name} 3`, `memory ${name} 1024`]) {
      const { message } = await failure(words, script);
      expect(message, words).toMatch(/^(?:There is no service|N! is a job, and)/u);
    }
  }
});

test("a name that a service and a job have is asked about, and either is reachable", async () => {
  const twins = { services: [{ ...web, name: "report" }], jobs: [report] };

  for (const verb of ["show", "logs", "delete"]) {
    expect(await failure(`${verb} report`, twins)).toMatchObject({
      message: "There is a service and a job named report.",
      next: "Say which: service/report or job/report.",
    });
  }
  expect(JSON.stringify(await answerTo("show job/report", twins))).toContain("gantry/batch");
  expect(JSON.stringify(await answerTo("show service/report", twins))).toContain("gantry/hello-web");
  expect(await proposalTo("delete job/report", twins)).toMatchObject({
    change: { workload: { kind: "job", name: "report" } },
  });
});

test("only a deletion that took effect, with the same account, says who deleted the workload", async () => {
  const deletion = event(1, { kind: "done", verb: "delete", result: "deleted" });
  const told = async (more: Partial<HistoryEvent>): Promise<string> =>
    (await failure("show web", { events: [{ ...deletion, ...more }] })).message;

  expect(await told({})).toMatch(/^web was deleted /u);
  const none = "There is no service in beijing1 and no job in us named web.";
  expect(await told({ account: "erin" })).toBe(none);
  expect(await told({ result: unconfirmedText("deletions") })).toBe(none);
});

test("a verb for services says so when it is given a job", async () => {
  for (const name of ["report", "job/report"]) {
    expect(await failure(`scale ${name} 2`, { jobs: [report] })).toMatchObject({
      message: "report is a job, and scale is for services.",
      next: "A job runs until it completes. See `/gantry show job/report`, or delete it and create it again.",
    });
  }
});

test("the very name that was asked for isn't suggested, though a recent list has it: the job was cleaned up since", async () => {
  const script = scripted();
  const { directory, settings } = script.context;
  const entries = ["nightly-29345220", "nightly-29345221"].map((name) => ({ name, status: "complete" }));
  directory.remember("dana", "job", { region: settings.jobsRegion, entries });
  directory.remember("dana", "service", { region: settings.region, entries: [] });

  for (const asked of ["show job/nightly-29345220", "why nightly-29345220"]) {
    await expect(answerTo(asked, script)).rejects.toMatchObject({
      next: "Did you mean `nightly-29345221`?",
      suggestions: [expect.objectContaining({ label: expect.stringContaining("nightly-29345221") as unknown })], // a matcher of vitest
    });
  }
});

const payrollIsPrivate = `
rules:
  - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
  - { name: members do the rest, who: members, does: anything, then: allow }
`;
const butListed = payrollIsPrivate.replace(
  "rules:",
  `rules:
  - { name: lists are for all, who: members, does: [listServices, listJobs], then: allow }`,
);

describe.each([
  ["a list that is refused as a whole", payrollIsPrivate],
  ["a list that shows all", butListed],
])("with %s, only names that the person may see are suggested", (_, policy) => {
  const services = [service("web"), service("payroll-db")];

  test.each<[string, (words: string, script: Script | Scripted) => Promise<unknown>]>([
    ["show", answerTo],
    ["logs", answerTo],
    ["restart", proposalTo],
    ["delete", proposalTo],
    ["can-i restart", answerTo],
  ])("to %s", async (verb, ask) => {
    const theirs = underPolicy(readPolicy(policy, "policy.yaml"), {}, { services });
    const suggests = async (name: string, script: Script | Scripted): Promise<unknown> => {
      const error: unknown = await ask(`${verb} ${name}`, script).catch((thrown: unknown) => thrown);
      return error instanceof Error && "next" in error ? error.next : error;
    };

    expect(await suggests("wev", theirs)).toBe("Did you mean `web`?");
    expect(JSON.stringify(await suggests("payrol-db", theirs))).not.toContain("payroll-db");
    expect(await suggests("payrol-db", { services })).toBe("Did you mean `payroll-db`?");
  });
});
