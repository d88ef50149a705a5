import { expect, test } from "vitest";
import { defaultPolicy } from "../../../../src/bot/policy/read-policy.ts";
import type { Standing } from "../../../../src/bot/policy/policy.ts";
import { drawn } from "../../views/support/drawn.ts";
import { report, service } from "../../views/support/workloads.ts";
import { answerTo } from "../support/script.ts";
import { leftOut, ruled, unruled } from "../support/ruled.ts";
import { underPolicy } from "../support/under-policy.ts";

async function told(text: string, standing: Standing): Promise<string> {
  const script = {
    services: [service("web", { target_instance_size: 2 })],
    jobs: [report],
    couldApprove: ["Alex Kim"],
  };
  return drawn(await answerTo(text, underPolicy(defaultPolicy, { standing }, script)));
}

/** The verbs that a help lists. */
function verbs(help: string): readonly string[] {
  return [...help.matchAll(/^• \/gantry (\S+)/gmu)].map(([, verb = ""]) => verb);
}

test("help lists every command to a member, and marks those that interrupt a workload or end it", async () => {
  const help = await told("help all", "member");

  expect(verbs(help)).toEqual(expect.arrayContaining([...ruled, ...unruled].map(({ name }) => name)));
  const marked = help.split("\n").filter((line) => line.includes("needs approval"));
  const interrupting = ruled.filter(({ actions }) =>
    actions.every(({ risk }) => risk === "disruptive" || risk === "destructive"),
  );
  expect(marked.map((line) => verbs(line)[0])).toEqual(interrupting.map(({ name }) => name));
  for (const verb of ["memory", "stop", "restart", "delete"]) expect(marked.join("\n")).toContain(`/gantry ${verb} `);
  expect(help).not.toContain("allowed for you");
});

test("help leaves out what a guest may not do, and says so", async () => {
  const help = await told("help", "guest");

  expect(verbs(help).toSorted()).toEqual(unruled.map(({ name }) => name).toSorted());
  for (const verb of ["help", "whoami", "can-i"]) expect(verbs(help)).toContain(verb);
  expect(help).toContain(leftOut(ruled));
});
