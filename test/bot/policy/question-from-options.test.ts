import { expect, test } from "vitest";
import type { Question } from "../../../src/bot/policy/policy.ts";
import { QuestionError, type QuestionOptions, questionFromOptions } from "../../../src/bot/policy/explain.ts";

function problem(options: QuestionOptions): string {
  try {
    questionFromOptions(options);
  } catch (error) {
    if (error instanceof QuestionError) return error.message;
    throw error;
  }
  return "none";
}

test("every option of a question", () => {
  const { person, ...rest } = questionFromOptions({
    as: "U0DANA",
    standing: "guest",
    in: "dm",
    groups: "S0ONCALL,S0LEADS",
    op: "updateService",
    does: "destructive",
    name: "web",
    kind: "service",
    region: "beijing1",
    account: "ops",
    "break-glass": true,
  });

  expect(rest).toEqual({
    where: { kind: "dm", channelId: "D000000000" },
    op: "updateService",
    risk: "destructive",
    workload: { kind: "service", region: "beijing1", name: "web" },
    account: "ops",
    breakGlass: true,
  });
  expect(person).toMatchObject({ userId: "U0DANA", standing: "guest" });
  expect(["S0ONCALL", "S0LEADS", "S0OTHER"].map(person.inGroup)).toEqual([true, true, false]);
});

test.each([
  ["createJob", "routine"],
  ["restartService", "disruptive"],
  ["deleteJob", "destructive"],
  ["getJob", undefined],
])("%s is %s without a word on it", (op, risk) => {
  expect(questionFromOptions({ op }).risk).toBe(risk);
});

test.each<[QuestionOptions, Question["footprint"]]>([
  [{}, undefined],
  [
    { instances: "500", "instances-now": "2" },
    { containers: undefined, instances: 500, grownFrom: 2 },
  ],
  [{ instances: "500" }, { containers: undefined, instances: 500, grownFrom: "unknown" }],
  [
    { op: "createService", instances: "500" },
    { containers: undefined, instances: 500, grownFrom: 0 },
  ],
  [{ image: "nginx" }, { containers: [{ image: "nginx", memoryMiB: undefined }], instances: undefined }],
])("what runs after %j", (options, footprint) => {
  expect(questionFromOptions({ op: "updateService", does: "routine", ...options }).footprint).toEqual(footprint);
});

test("groups of which Slack does not tell", () => {
  expect(questionFromOptions({ op: "getJob", groups: "unknown" }).person.inGroup("S0ONCALL")).toBe("unknown");
});

test.each<[string, QuestionOptions, string]>([
  ["no operation", {}, "--op is missing. Add an operation, such as --op deleteService."],
  [
    "an update of unknown risk",
    { op: "updateService" },
    "--does is missing. updateService can be routine, disruptive or destructive.",
  ],
  ["a read that hurts", { op: "getJob", does: "routine" }, "getJob only reads. Leave --does out."],
  [
    "a risk that is none",
    { op: "deleteJob", does: "destroy" },
    "--does takes routine, disruptive, destructive, not “destroy”.",
  ],
  ["a name for a person", { op: "getJob", as: "dana" }, "--as takes a user ID such as U0123ABCD, not “dana”."],
  [
    "a name for a channel",
    { op: "getJob", in: "#ops" },
    "--in takes a channel ID such as C0123ABCD, or dm, not “#ops”.",
  ],
  [
    "a handle for a group",
    { op: "getJob", groups: "@oncall" },
    "--groups takes IDs such as S0123ABCD,S0456EFGH, or unknown, not “@oncall”.",
  ],
  [
    "a number of instances",
    { op: "deploy", "instances-now": "two" },
    "--instances-now takes a whole number, not “two”.",
  ],
  [
    "a standing",
    { op: "getJob", standing: "gest" },
    "--standing takes member, guest, outsider, bot, deactivated, not “gest”. Did you mean “guest”?",
  ],
])("%s is refused with a sentence", (_, options, expected) => {
  expect(problem(options)).toBe(expected);
});
