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

test("a member sees what runs immediately and what needs an approval", async () => {
  expect(await told("can-i scale web 4", "member")).toContain("✅ Yes, you can");
  expect(await told("can-i scale web 0", "member")).toContain("with 1 approval");
  expect(await told("can-i restart web", "member")).toContain("Can approve now: Alex Kim.");
  expect(await told("can-i show web", "member")).toContain("✅ Yes, you can");
  expect(await told("help all", "member")).toContain(
    "/gantry delete NAME…  Permanently delete a service or job (needs approval)",
  );
  expect(await told("can-i delete web", "member")).toMatch(/with 1 approval[\s\S]*permanently deletes web/u);
});

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

test("a guest is told why not, by which way it goes", async () => {
  expect(await told("can-i delete service/web", "guest")).toMatchInlineSnapshot(`
    "🚫 No. You can't delete web: no policy rule allows it for guests.
    Ask a full member of this workspace."
  `);
  expect(await told("can-i show web", "guest")).toContain("🚫 No.");
});

test("help leaves out what a guest may not do, and says so", async () => {
  const help = await told("help", "guest");

  expect(verbs(help).toSorted()).toEqual(unruled.map(({ name }) => name).toSorted());
  for (const verb of ["help", "whoami", "can-i"]) expect(verbs(help)).toContain(verb);
  expect(help).toContain(leftOut(ruled));
});

test("a member sees services and jobs, by bare names too", async () => {
  expect(await told("list", "member")).toContain("report");
  expect(await told("show report", "member")).toContain("gantry/batch");
  expect(await told("show web", "member")).toContain("gantry/hello-web");
});
