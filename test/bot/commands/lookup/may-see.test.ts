import { describe, expect, test } from "vitest";
import { operationTable, type OperationId } from "../../../../src/api/operations.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { About } from "../../../../src/bot/commands/command.ts";
import { offeredVerbs } from "../../../../src/bot/commands/lookup/authorize.ts";
import { findCommand } from "../../../../src/bot/commands/grammar/find-command.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { operationFacts } from "../../../../src/bot/policy/operation-facts.ts";
import type { Verdict } from "../../../../src/bot/policy/policy.ts";
import { drawn } from "../../views/support/drawn.ts";
import { job, report, service, web } from "../../views/support/workloads.ts";
import { allow, answerTo, proposalTo, refuse, scripted, type Scripted } from "../support/script.ts";
import { underPolicy } from "../support/under-policy.ts";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";

function aboutOf(text: string): About | undefined {
  const { command, ask } = parseText(text);
  if (command.effect !== "read") throw new Error(`${text} is no read`);
  return command.about(ask, scripted().context.settings);
}

function isOperation(op: string): op is OperationId {
  return Object.hasOwn(operationTable, op);
}

describe("what a rule has to allow before something is read", () => {
  test.each<[string, string, About["workload"]]>([
    ["list", "listServices", { kind: "service", region: "beijing1", name: undefined }],
    ["list services web --region us", "listServices", { kind: "service", region: "us", name: undefined }],
    ["list jobs --region beijing2", "listJobs", { kind: "job", region: "us", name: undefined }],
    ["show web", "getService", { kind: undefined, region: "beijing1", name: "web" }],
    ["show job/report --region beijing2", "getJob", { kind: "job", region: "us", name: "report" }],
    ["logs service/web --region beijing2", "getServiceLogs", { kind: "service", region: "beijing2", name: "web" }],
    ["logs job/report", "getJobInstanceLogs", { kind: "job", region: "us", name: "report" }],
  ])("%s: %s", (text, op, workload) => {
    expect(aboutOf(text)).toEqual({ op, risk: undefined, workload });
  });

  test.each(["help", "whoami", "pending", "history web", "can-i delete web"])("%s needs no rule", (text) => {
    expect(aboutOf(text)).toBeUndefined();
  });
});

describe("a verb's actions say what a rule has to allow", () => {
  // Of a verb that is not in this table, its own test says it; the tests below hold for every verb.
  test.each<readonly [verb: string, said: string]>([
    ["list", "listServices read, listJobs read"],
    ["show", "getService read, getJob read"],
    ["logs", "getServiceLogs read, getJobInstanceLogs read"],
    ["create", "createService routine, createJob routine"],
    ["scale", "updateService routine, updateService disruptive, updateService destructive"],
    ["memory", "updateService disruptive"],
    ["domains", "updateService routine, updateService destructive"],
    ["start", "startService routine"],
    ["stop", "stopService disruptive"],
    ["restart", "restartService disruptive"],
    ["delete", "deleteService destructive, deleteJob destructive"],
    ["use", "bindChannel routine, bindChannel destructive"],
    ...["pending", "approve", "reject", "cancel", "history", "can-i", "whoami", "connect", "disconnect", "help"].map(
      (verb) => [verb, ""] as const,
    ),
  ])("%s: %s", (verb, said) => {
    const { actions } = findCommand(commands, verb);

    expect(actions.map(({ op, risk }) => `${op} ${risk ?? "read"}`).join(", ")).toBe(said);
  });

  test.each(commands.filter(({ effect }) => effect === "write"))(
    "$name writes, so each of its actions is a write with a risk",
    ({ actions }) => {
      expect(actions).not.toEqual([]);
      for (const { op, risk } of actions) {
        expect(operationFacts[op].effect).toBe("write");
        expect(risk).toBeDefined();
      }
    },
  );

  test.each(commands.filter(({ effect }) => effect === "read"))(
    "$name reads, so none of its actions writes",
    ({ actions }) => {
      for (const { op, risk } of actions) {
        expect(isOperation(op) && operationTable[op].effect).toBe("read");
        expect(risk).toBeUndefined();
      }
    },
  );
});

const noJobs = ({ workload }: About): Verdict => (workload.kind === "job" ? refuse : allow);

describe("what was found is judged once more, because of a bare name the kind is not known before", () => {
  test("a job behind a bare name stays hidden from those who may not see jobs", async () => {
    const script = { jobs: [report], permissions: noJobs };

    for (const verb of ["show", "logs"]) {
      const town = scripted(script);
      await expect(answerTo(`${verb} report`, town)).rejects.toThrow("There is no service named report");
      expect(town.calls).not.toContain("getJob");
    }
  });

  test("a service behind a bare name is shown, and a full name is not judged twice", async () => {
    const bare = scripted({ services: [web], permissions: noJobs });
    const full = scripted({ services: [web], permissions: noJobs });

    expect((await answerTo("show web", bare)).text).toContain("web");
    await answerTo("show service/web", full);

    expect(bare.calls).toEqual(["getService"]);
    // What the card's buttons would do is judged beside it.
    const offered = offeredVerbs(commands).filter(({ actions }) => actions.some(({ op }) => op === "getService"));
    const looks = ({ asked }: Scripted) => asked.filter(({ op }) => op === "getService" || op === "getJob");
    expect(looks(full)).toHaveLength(offered.length);
  });

  test("a list leaves out the jobs that may not be seen, says so, and does not even read them", async () => {
    const town = scripted({ services: [web], jobs: [job("nightly")], permissions: noJobs });

    const list = drawn(await answerTo("list", town));

    expect(list).toContain("web");
    expect(list).not.toContain("nightly");
    expect(list).toContain("Jobs aren't listed: No rule lets a guest do this.");
    expect(town.calls).toEqual(["listServices"]);
  });

  test("a list leaves out the workloads that a rule hides from the person, also from its count", async () => {
    const policy = readPolicy(
      `rules:
      - { name: lists are for all, who: members, does: [listServices, listJobs], then: allow }
      - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
      - { name: members do the rest, who: members, does: anything, then: allow }`,
      "policy.yaml",
    );
    const script = { services: [web, service("payroll-db")] };

    const list = drawn(await answerTo("list services", underPolicy(policy, {}, script)));

    expect(list.split("\n")[0]).toBe("1 service in beijing1");
    expect(list).toContain("web");
    expect(list).not.toContain("payroll");
    expect(drawn(await answerTo("list services", script))).toContain("payroll-db");
  });

  test("a change of a bare name doesn't read a kind that may not be seen", async () => {
    for (const words of ["delete nothing", "scale nothing 3"]) {
      const town = scripted({ services: [web], permissions: noJobs });

      await expect(proposalTo(words, town)).rejects.toThrow("There is no service named nothing in beijing1.");
      expect(town.calls.filter((op) => op === "getJob" || op === "listJobs")).toEqual([]);
    }
  });

  test("a rule that requires approval for a read refuses it, because only changes can be approved", async () => {
    const terms = {
      votes: 1,
      from: { users: [], groups: [], channelMembers: true },
      selfApproval: false,
      reasonRequired: false,
      expiresMs: 1,
      cardIn: undefined,
      mention: "nobody",
    } as const;

    await expect(
      answerTo("show web", { services: [web], permissions: () => ({ kind: "approve", rule: "odd", terms }) }),
    ).rejects.toThrow("Policy “odd” asks for an approval, but only changes can be approved.");
  });
});
