import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readWatches } from "../../../../../src/bot/commands/verbs/watch/watches-file.ts";

const valid = `
watches:
  - watch: shop-*
    owner: U0DANA
    in: C0OPS
  - { watch: job/report, owner: U0DANA, in: dm, on: [job-failed, job-done], after: 0, zone: Europe/Berlin }
  - watch: all
    owner: U0ALEX
    in: C0OPS
    region: beijing1
    digest: weekdays 09:00
`;

test("a file of watches is read with the words of the verb", () => {
  expect(readWatches(valid, "watches.yaml")).toEqual([
    {
      line: 3,
      teamId: undefined,
      ownerId: "U0DANA",
      place: { kind: "channel", channelId: "C0OPS" },
      target: { kind: undefined, names: "shop-*", region: undefined },
      events: ["failing", "recovered", "job-failed"],
      afterMs: 120_000,
      quiet: undefined,
      digest: undefined,
      zone: undefined,
    },
    expect.objectContaining({
      line: 6,
      place: { kind: "dm" },
      target: { kind: "job", names: "report", region: undefined },
      events: ["job-failed", "job-done"],
      afterMs: 0,
      zone: "Europe/Berlin",
    }),
    expect.objectContaining({
      line: 7,
      target: { kind: undefined, names: "*", region: "beijing1" },
      events: [],
      digest: { days: "weekdays", at: "09:00" },
    }),
  ]);
});

test("the example of the documentation can be copied", () => {
  const page = readFileSync("docs/watching.md", "utf8");
  const [, example = ""] = /^```yaml\n(watches:.*?)^```/msu.exec(page) ?? [];

  expect(readWatches(example, "watching.md")).toHaveLength(3);
});

const one = "owner: U0DANA, in: C0OPS";

describe("a file that can't be used is told line by line", () => {
  test.each([
    ["", "1: The file must contain watches: with a list of watches."],
    ["watches: {}", "1: watches: is missing, or isn't a list of watches."],
    ["watches:\n  - web", "2: watch 1: A watch must be a map with watch, owner and in."],
    [
      `watches:\n  - { ${one} }`,
      "2: watch 1, watch: This is missing. Name a workload, a pattern such as shop-*, or all.",
    ],
    [`watches:\n  - { watch: a/b/c, ${one} }`, "2: watch 1, watch: Not a workload name."],
    [`watches:\n  - { watch: <!channel>, ${one} }`, "2: watch 1, watch: “<!channel>” can't be the name of a workload."],
    [`watches:\n  - { watch: "web, shop-*", ${one} }`, "2: watch 1, watch: “web, shop-*” can't be the name"],
    [
      `watches:\n  - { watch: web, owner: dana, in: C0OPS }`,
      "2: watch 1, owner: This must be an ID such as U0123ABCD.",
    ],
    [
      `watches:\n  - { watch: web, owner: U0DANA, in: ops }`,
      "2: watch 1, in: This must be an ID such as C0123ABCD, or dm.",
    ],
    [`watches:\n  - { watch: web, ${one}, on: failling }`, "2: watch 1, on: on takes failing, recovered"],
    [`watches:\n  - { watch: web, ${one}, after: 2 }`, "2: watch 1, after: after takes a time up to 24h"],
    [`watches:\n  - { watch: web, ${one}, zone: Berlin }`, "2: watch 1, zone: This isn't a time zone."],
    [
      `watches:\n  - { watch: web, ${one}, digest: daily, quiet: 22:00-07:00 }`,
      "watch 1: digest is one summary, so it takes no quiet.",
    ],
    [`watches:\n  - { watch: web, ${one}, onn: all }`, "2: watch 1: unknown key “onn”. Did you mean “on”?"],
    [`watches:\n  - { watch: web, ${one} }\n  - { watch: web, ${one} }`, "3: watch 2: it is the same as watch 1."],
    ["watches: [", "Invalid YAML"],
    ["a: &a [*a, *a]\nwatches: *a", "1: "],
  ])("%j", (text, sentence) => {
    expect(() => readWatches(text, "watches.yaml")).toThrow(sentence);
  });

  test("all of them at once, and each workspace by its ID where there are several", () => {
    const text = `watches:\n  - { watch: web, owner: me, in: here }\n  - { watch: web, ${one}, after: never }`;

    expect(() => readWatches(text, "w.yaml")).toThrow(
      /^The file of watches has 3 problems:\n- w\.yaml:2: .*\n- w\.yaml:2: .*\n- w\.yaml:3: /u,
    );
    expect(() => readWatches(valid, "w.yaml", { needsTeam: true })).toThrow(/w\.yaml:3: watch 1: team is missing/u);
    expect(readWatches(`watches: [{ watch: web, ${one}, team: T0SHOP }]`, "w.yaml", { needsTeam: true })).toMatchObject(
      [{ teamId: "T0SHOP" }],
    );
  });
});
