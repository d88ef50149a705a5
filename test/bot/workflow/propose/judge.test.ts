import { describe, expect, test } from "vitest";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { nothingToDoForAny } from "../../../../src/bot/views/messages/request-answers.ts";
import { judge } from "../../../../src/bot/workflow/propose/draft.ts";
import { othersApprove } from "../../../support/policies.ts";
import { underPolicy } from "../../commands/support/under-policy.ts";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";

/** Like `othersApprove`, but shops take a rule of their own. */
function shopsTake(rule: string): string {
  return othersApprove.replace(
    "rules:",
    `rules:\n  - { name: shops, who: members, does: [disruptive], workloads: { name: "shop-*" }, then: ${rule} }`,
  );
}

const services = ["web", "shop-a", "shop-b"].map((name) => service(name));

function judged(text: string, policy = othersApprove, script: Parameters<typeof underPolicy>[2] = { services }) {
  const { command, ask } = parseText(text);
  if (command.effect !== "write") throw new Error(`${text} is no write`);
  const { context } = underPolicy(readPolicy(policy, "policy.yaml"), {}, script);
  return judge({ command, context }, ask);
}

describe("every workload of a request has to be allowed", () => {
  test("refused for one, all of it is refused, and that one is named", async () => {
    expect(await judged("restart web shop-a", shopsTake("refuse"))).toMatchObject({
      kind: "refused",
      workload: { name: "shop-a" },
      refusal: { why: expect.stringContaining("shop-a") as unknown }, // a matcher of vitest
    });
  });

  test("the most approvals that one of them needs count for all", async () => {
    const rule = "{ approve: { votes: 2, from: [channel-members], expires: 1h } }";

    expect(await judged("restart web shop-a", shopsTake(rule))).toMatchObject({
      kind: "proposed",
      verdict: { kind: "approve", terms: { votes: 2 } },
    });
  });

  test("where they need different approvers, it says to ask one by one", async () => {
    const rule = "{ approve: { from: [U0OMAR], expires: 1h } }";

    await expect(judged("restart web shop-a", shopsTake(rule))).rejects.toMatchObject({
      message: "These workloads need different approvals, so one request can't hold them. Nothing was changed.",
      next: "Request them one by one.",
    });
  });
});

describe("what turns out to be one workload is a request for that one", () => {
  test.each(["restart web service/web web", 'restart "we*"', "restart web"])("%s", async (words) => {
    const proposed = await judged(words);

    expect(proposed).toMatchObject({ kind: "proposed", change: { workload: { name: "web" } } });
    expect(proposed).not.toHaveProperty("several");
  });
});

test("what is as requested already is left out, and when all of it is, there is nothing to do", async () => {
  const stopped = (name: string) => service(name, { status: "Stopped" });
  const some = { services: [service("web"), stopped("worker"), service("queue")] };
  const all = { services: ["web", "worker", "queue"].map(stopped) };

  expect(await judged("stop web worker queue", othersApprove, some)).toMatchObject({
    kind: "proposed",
    several: {
      parts: [{ change: { workload: { name: "web" } } }, { change: { workload: { name: "queue" } } }],
      leftOut: [{ change: { workload: { name: "worker" } }, why: undefined }],
    },
  });
  const nothing = await judged("stop web worker queue", othersApprove, all);
  if (nothing.kind !== "nothing") throw new Error(nothing.kind);
  expect(drawn(nothingToDoForAny(nothing.changes))).toBe("web, worker, queue are already as requested. Nothing to do.");
});

test("a deploy asks when its last word may be a workload or a tag", async () => {
  const engine = { title: "Docker", regions: [], takesAnyMemory: true, keepsRevisions: true, pushesChanges: false };
  const containers = [{ name: "web", image: "shop/web:1.4" }];
  const script = { engine, services: ["web", "worker"].map((name) => service(name, { containers })) };

  await expect(judged("deploy web worker", othersApprove, script)).rejects.toMatchObject({
    message: "worker is a service, so I can't tell whether you also mean a tag.",
  });
  expect(await judged("deploy web :worker", othersApprove, script)).toMatchObject({
    change: { call: { body: { containers: [{ image: "shop/web:worker" }] } } },
  });
});
