import { describe, expect, test } from "vitest";
import type { RecentList } from "../../../src/bot/commands/lookup/directory.ts";
import {
  changeOptions,
  instanceOptions,
  regionOptions,
  workloadOptions,
  type Suggestion,
} from "../../../src/bot/views/forms/picker-options.ts";
import { expectSuggestionFits } from "./support/judges.ts";
import { stored } from "./support/stored-changes.ts";
import { now } from "./support/workloads.ts";

function lately(names: readonly string[], { status = "Running", agoMs = 0 } = {}): RecentList {
  return { entries: names.map((name) => ({ name, status })), at: now.getTime() - agoMs };
}

/** What a person reads, a line each. */
function read(suggestion: Suggestion): string[] {
  expectSuggestionFits(suggestion);
  const line = ({
    text,
    value,
    description,
  }: {
    text: { text: string };
    value?: string;
    description?: { text: string };
  }) => `  ${text.text} = ${value}${description === undefined ? "" : ` (${description.text})`}`;
  if ("options" in suggestion) return suggestion.options.map(line);
  return suggestion.option_groups.flatMap(({ label, options }) => [label.text, ...options.map(line)]);
}

const known = { services: lately(["web", "api", "web-2", "my-web"]), jobs: lately(["web-report", "import"]), now };

describe("a picker of workloads", () => {
  test("without a word shows all there are, in the order of their names", () => {
    const shown = read(workloadOptions({ ...known, region: "eu1", query: "", problems: [] }));

    expect(shown).toMatchInlineSnapshot(`
      [
        "Services in eu1",
        "  api = service/api (Running)",
        "  my-web = service/my-web (Running)",
        "  web = service/web (Running)",
        "  web-2 = service/web-2 (Running)",
        "Jobs",
        "  import = job/import (Running)",
        "  web-report = job/web-report (Running)",
      ]
    `);
  });

  test("shows first what begins with what was typed, and last what was typed", () => {
    const shown = read(workloadOptions({ ...known, region: "eu1", query: " WEB ", problems: [] }));

    expect(shown).toMatchInlineSnapshot(`
      [
        "Services in eu1",
        "  web = service/web (Running)",
        "  web-2 = service/web-2 (Running)",
        "  my-web = service/my-web (Running)",
        "Jobs",
        "  web-report = job/web-report (Running)",
        "Not listed",
        "  Use “WEB” as typed = WEB",
      ]
    `);
  });

  test("does not offer what is there once more", () => {
    expect(read(workloadOptions({ ...known, query: "import", problems: [] }))).toEqual([
      "Jobs",
      "  import = job/import (Running)",
    ]);
  });

  test("takes the kind before a name", () => {
    expect(read(workloadOptions({ ...known, query: "job/web", problems: [] }))).toEqual([
      "Jobs",
      "  web-report = job/web-report (Running)",
      "Not listed",
      "  Use “job/web” as typed = job/web",
    ]);
  });

  test.each(["../etc", "a/b", "..", "x".repeat(76)])("does not offer what cannot be chosen: %s", (query) => {
    expect(workloadOptions({ ...known, query, problems: [] })).toEqual({ options: [] });
  });

  test("tells how old its list is", () => {
    const services = lately(["web"], { agoMs: 180_000 });

    const shown = read(workloadOptions({ services, region: "eu1", query: "", problems: ["It does not answer."], now }));

    expect(shown).toEqual([
      "Services in eu1, 3m ago",
      "  web = service/web (Running)",
      "About this list",
      "  It does not answer. = !none",
    ]);
  });

  test("without any answer offers what was typed, and says why", () => {
    const problems = ["The service does not answer: type the whole name."];

    expect([workloadOptions({ query: "web", problems }), workloadOptions({ query: "", problems })].map(read)).toEqual([
      [problems[0], "  Use “web” as typed = web"],
      ["About this list", `  ${problems[0]} = !none`],
    ]);
  });

  test("of 2,000 services and 30 jobs shows 100, and every job", () => {
    const services = lately(Array.from({ length: 2000 }, (_, at) => `web-${String(at).padStart(4, "0")}`));
    const jobs = lately(Array.from({ length: 30 }, (_, at) => `web-job-${at}`));
    const asked = { services, jobs, region: "eu1", query: "web", problems: [], now };

    const offered = workloadOptions(asked);

    const sizes = "options" in offered ? [] : offered.option_groups.map(({ options }) => options.length);
    expect(sizes).toEqual([69, 30, 1]);
    expect(read(workloadOptions({ ...asked, query: "1777" }))[1]).toContain("web-1777");
  });

  test("leaves out names that no option can hold, and says how many", () => {
    const services = lately(["x".repeat(67), "y".repeat(68)]);

    const [heading, short, ...rest] = read(workloadOptions({ services, query: "", problems: [] }));
    expect([heading, short]).toEqual(["Services", expect.stringContaining("x".repeat(67))]);
    expect(rest[1]).toMatch(/^ {2}1 name is too long for this menu: type a command\./u);
    expect(read(workloadOptions({ services, query: "xx", problems: [] })).join("\n")).not.toContain("too long");
  });
});

test("instances, regions and changes are found by what is typed", () => {
  const changes = [stored(), stored({ id: "AAAAAA", verb: "restart" })];

  const shown = [
    instanceOptions({ names: ["report-b", "report-a"], query: "" }),
    instanceOptions({ names: [], query: "report-c" }),
    regionOptions({ regions: ["beijing1", "beijing2"], query: "2" }),
    changeOptions({ changes, query: "scale" }),
    changeOptions({ changes: [], query: "scale" }),
  ].map(read);

  expect(shown).toMatchInlineSnapshot(`
    [
      [
        "Instances",
        "  report-b = report-b",
        "  report-a = report-a",
      ],
      [
        "Not listed",
        "  Use “report-c” as typed = report-c",
      ],
      [
        "Known regions",
        "  beijing2 = beijing2",
        "Not listed",
        "  Use “2” as typed = 2",
      ],
      [
        "Waiting requests",
        "  7K3M9Q scale service web = 7K3M9Q (requested by Dana Reyes)",
      ],
      [
        "About this list",
        "  Nothing is waiting for approval. = !none",
      ],
    ]
  `);
});
