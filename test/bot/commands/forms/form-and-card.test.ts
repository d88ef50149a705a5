import { describe, expect, test } from "vitest";
import type { Ask } from "../../../../src/bot/ask.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { findCommand } from "../../../../src/bot/commands/grammar/find-command.ts";
import { report, service } from "../../views/support/workloads.ts";
import { filledIn, prefilled } from "../support/form-of.ts";
import { scripted, type Script } from "../support/script.ts";

/** What the card would list for a form that is sent like this. */
async function listed(verb: string, values: Readonly<Record<string, string>>, script: Script) {
  const filled = filledIn(verb, values);
  const command = findCommand(commands, verb);
  if (filled.kind === "errors" || command.effect !== "write") throw new Error(JSON.stringify(filled));
  const ask: Ask = filled.ask;
  return command.propose(ask, scripted(script).context);
}

describe("a form says what its card says", () => {
  test.each(
    ["start", "stop", "restart"].flatMap((verb) => ["Running", "Stopped"].map((status) => [verb, status] as const)),
  )("%s of a service that is %s: nothing to do in both, or in none", async (verb, status) => {
    const script = { services: [service("web", { status })] };

    const { notes = [] } = await prefilled(verb, { name: "service/web" }, script);
    const { diff } = await listed(verb, { name: "service/web" }, script);

    expect(notes.some((note) => note.includes("Nothing to do"))).toBe(diff.length === 0);
  });

  test("scale, memory and domains: the values that are filled in change nothing, others are on the card", async () => {
    const script = { services: [service("web", {})] };
    const changed = { scale: { size: "7" }, memory: { mib: "2048" }, domains: { domains: "new.example.com" } };

    for (const [verb, other] of Object.entries(changed)) {
      const { values = {} } = await prefilled(verb, { name: "service/web" }, script);
      const same = await listed(verb, { ...values, name: "service/web" }, script);
      const next = await listed(verb, { ...values, ...other, name: "service/web" }, script);
      expect([verb, same.diff]).toEqual([verb, []]);
      expect(next.diff.join("\n")).toContain(Object.values(other)[0]);
    }
  });

  test("delete and create name the same workload", async () => {
    const script = { services: [service("web", {})], jobs: [report] };
    const kinds = { "service/web": "web", "job/report": "report" };

    for (const [name, plain] of Object.entries(kinds)) {
      const { notes = [] } = await prefilled("delete", { name }, script);
      const change = await listed("delete", { name, confirm: plain }, script);
      expect(notes[0]).toContain(plain);
      expect(change.workload.name).toBe(plain);
    }
    const { values = {} } = await prefilled("create", {}, script);
    const created = await listed(
      "create",
      { ...values, kind: "service", name: "shop", image: "gantry/hello-web" },
      script,
    );
    expect(created.workload).toMatchObject({ name: "shop", region: values["region"] });
  });
});
