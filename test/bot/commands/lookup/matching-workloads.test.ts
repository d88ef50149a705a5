import { describe, expect, test } from "vitest";
import type { WriteCommand } from "../../../../src/bot/commands/command.ts";
import { severalOf } from "../../../../src/bot/commands/grammar/several.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { asksFor } from "../../../../src/bot/commands/lookup/named-workloads.ts";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { job, service } from "../../views/support/workloads.ts";
import { scripted, type Scripted } from "../support/script.ts";
import { underPolicy } from "../support/under-policy.ts";

/** The names that the words are about. */
async function meant(text: string, { context }: Scripted): Promise<readonly unknown[]> {
  const { command, ask } = parseText(text);
  const wanted = severalOf(ask);
  if (command.effect !== "write" || wanted === undefined) throw new Error(`${text} is not about several workloads`);
  const write: WriteCommand = command;
  const asks = await asksFor({ command: write, ask, wanted }, context);
  return asks.map(({ args }) => args["name"]);
}

const having = (...names: readonly string[]) => scripted({ services: names.map((name) => service(name)) });

describe("a pattern", () => {
  test("means every workload that matches, sorted by name, from one list call", async () => {
    const town = having("web", "shop-b", "shop-a", "shop-c", "shop-d");

    expect(await meant('restart "shop-*"', town)).toEqual([
      "service/shop-a",
      "service/shop-b",
      "service/shop-c",
      "service/shop-d",
    ]);
    expect(town.calls).toEqual(["listServices"]);
  });

  test("of a verb for both kinds means services and jobs, and a kind before it only those", async () => {
    const town = scripted({ services: [service("shop-web")], jobs: [job("shop-import")] });

    expect(await meant("delete shop-*", town)).toEqual(["job/shop-import", "service/shop-web"]);
    expect(await meant("delete job/shop-*", town)).toEqual(["job/shop-import"]);
  });

  test("that matches one workload means that one", async () => {
    expect(await meant("restart shop-*", having("web", "shop-a"))).toEqual(["service/shop-a"]);
  });

  test("beside names keeps their order", async () => {
    expect(await meant("restart web shop-*", having("shop-b", "shop-a", "web"))).toEqual([
      "web",
      "service/shop-a",
      "service/shop-b",
    ]);
  });

  test("that matches nothing says so, with names that are near", async () => {
    await expect(meant("restart shpo-*", having("web", "shop-a"))).rejects.toMatchObject({
      message: "No workload matches shpo-*.",
      next: "Did you mean shop-a?",
    });
    await expect(meant("restart zzz-*", having("web"))).rejects.toMatchObject({
      message: "No workload matches zzz-*.",
      next: "See what there is with `list`.",
    });
  });

  test("that matches more than 20 says how many", async () => {
    const many = having(...Array.from({ length: 21 }, (_, at) => `shop-${at + 10}`));

    await expect(meant("restart shop-*", many)).rejects.toThrow(
      "shop-* matches 21 workloads, and I act on at most 20 at once. Nothing was changed.",
    );
  });

  test("covers only workloads that the person may see and restart, and reveals no others", async () => {
    const policy = readPolicy(
      `
rules:
  - { name: some are private, who: members, does: anything, workloads: { name: "shop-x*" }, then: refuse }
  - { name: one is unseen, who: members, does: read, workloads: { name: "shop-unseen" }, then: refuse }
  - { name: one is fixed, who: members, does: [disruptive], workloads: { name: "shop-fixed" }, then: refuse }
  - { name: the rest, who: members, does: anything, then: allow }
`,
      "policy.yaml",
    );
    const services = ["shop-a", "shop-b", "shop-x1", "shop-unseen", "shop-fixed"].map((name) => service(name));
    const town = underPolicy(policy, {}, { services });

    expect(await meant("restart shop-*", town)).toEqual(["service/shop-a", "service/shop-b"]);
    await expect(meant("restart shop-x*", town)).rejects.toMatchObject({
      message: "No workload matches shop-x*.",
      next: "Did you mean shop-a or shop-b?",
    });
  });
});
