import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { leadsBack } from "./support/stages.ts";

const src = join(import.meta.dirname, "../src");

type Row = {
  /** Folders of ours whose code may be imported. */
  readonly code: readonly string[];
  /** Folders of which only types may be imported. */
  readonly types: readonly string[];
  readonly because: string;
};

/**
 * Who may import what, and why. A file belongs to the row with the longest path before it; one that belongs to none
 * doesn't pass.
 */
const table: Readonly<Record<string, Row>> = {
  "platform/": { code: [], types: [], because: "errors, the log and waiting depend on nobody" },
  "platform/http/": {
    code: ["platform/"],
    types: [],
    because: "how our HTTP servers listen and requests leave: limits, ports, proxies",
  },
  "platform/observing/": {
    code: ["platform/", "platform/http/"],
    types: [],
    because: "metrics, traces and how they leave: the bot and the service tell the same way what they do",
  },
  "platform/database/": {
    code: ["platform/"],
    types: [],
    because: "how a database is opened: both the bot and the service have one, and neither may import the other",
  },
  "api/": { code: ["platform/", "platform/http/"], types: [], because: "the contract depends on nobody" },
  "bot/": {
    code: ["platform/"],
    types: [],
    because: "what a person asks for, and what they can mend: every part of the bot may import these files",
  },
  "bot/logs/": {
    code: ["platform/"],
    types: ["api/"],
    because: "pure: the same input always filters and redacts the same",
  },
  "bot/logs/threads/": {
    code: ["platform/", "bot/logs/"],
    types: ["api/"],
    because: "threads in which logs are redacted and filtered: a file that a thread runs, and what ends it in time",
  },
  "bot/policy/": {
    code: ["platform/", "api/"],
    types: [],
    because: "pure: the same input always decides the same; it reads images and sizes as the contract writes them",
  },
  "bot/accounts/": {
    code: ["platform/", "api/", "bot/policy/"],
    types: [],
    because: "whose token it is knows no Slack and no SQL",
  },
  "bot/changes/": {
    code: ["platform/", "api/", "bot/policy/"],
    types: ["bot/accounts/"],
    because: "the life of a write knows no Slack and no SQL: it is given what it needs",
  },
  "bot/watch/": {
    code: ["platform/", "api/", "bot/policy/"],
    types: ["bot/accounts/", "bot/changes/"],
    because: "pure: what a watch is about, and what it tells, follow from what was seen",
  },
  "bot/audit/": { code: [], types: [], because: "pure: an export is checked without a database, a Slack, or a Gantry" },
  "bot/health/": { code: ["platform/"], types: [], because: "pure: the same facts always give the same lines" },
  "bot/views/": {
    code: ["platform/", "api/", "bot/logs/", "bot/health/"],
    types: ["bot/changes/", "bot/commands/", "bot/accounts/", "bot/policy/", "bot/watch/"],
    because: "pure: the same state always draws the same; of the verbs it knows only the type Ask, which buttons carry",
  },
  "bot/commands/": {
    code: ["platform/", "api/", "bot/views/", "bot/changes/", "bot/logs/", "bot/policy/", "bot/watch/"],
    types: ["bot/accounts/"],
    because: "a verb runs without Slack, in a test or a terminal; of policy it uses the table of operations",
  },
  "bot/workflow/": {
    code: [
      "platform/",
      "api/",
      "bot/commands/",
      "bot/views/",
      "bot/changes/",
      "bot/policy/",
      "bot/accounts/",
      "bot/logs/",
      "bot/health/",
      "bot/watch/",
    ],
    types: ["bot/logs/threads/", "bot/store/"],
    because: "the life of a request: no Slack and no SQL; of the store it knows the types of its functions",
  },
  "bot/store/": {
    code: ["platform/", "platform/database/", "api/", "bot/audit/", "bot/changes/", "bot/health/", "bot/watch/"],
    types: ["bot/accounts/", "bot/policy/", "bot/workflow/"],
    because: "SQL can be swapped without touching a rule; rows are parsed with the schema of what they hold",
  },
  "bot/slack/": {
    code: [
      "platform/",
      "platform/http/",
      "api/",
      "bot/workflow/",
      "bot/commands/",
      "bot/views/",
      "bot/changes/",
      "bot/policy/",
      "bot/accounts/",
    ],
    types: ["bot/store/", "bot/health/", "bot/watch/"],
    because: "the only folder that knows Slack and Bolt",
  },
  "service/": {
    code: ["platform/", "platform/http/", "platform/database/", "platform/observing/", "api/"],
    types: [],
    because: "it would run as well on its own",
  },
  "playground/": {
    code: ["platform/"],
    types: [],
    because: "at most what everybody shares; it must not know the bot it judges",
  },
  "playground/page/": {
    code: ["playground/"],
    types: [],
    because: "a browser loads it, from the playground's folder alone",
  },
};

/** They put the parts together, so they may import all of them. */
const composition = ["main.ts", "bin/", "bot/compose/"];

type Import = { readonly file: string; readonly target: string; readonly isType: boolean };

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const statements = text.matchAll(/^(import|export)( type)?\b([^;]*?)\bfrom "(\.[^"]+)"/gmu);
  return [...statements].map(([, , isType, , target = ""]) => ({
    file,
    target: relative(src, join(src, dirname(file), target)).replaceAll(sep, "/"),
    isType: isType !== undefined,
  }));
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replaceAll(sep, "/"));

function areaOf(file: string): string | undefined {
  return [...composition, ...Object.keys(table)]
    .filter((area) => file.startsWith(area))
    .reduce<string | undefined>((longest, area) => (area.length > (longest?.length ?? 0) ? area : longest), undefined);
}

function isAllowed({ file, target, isType }: Import): boolean {
  if (target === "../package.json") return file === "platform/version.ts";
  const [from, to] = [areaOf(file), areaOf(target)];
  if (from === undefined || to === undefined) return false;
  if (composition.includes(from) || from === to) return true;
  // Each part of the bot may import what is at its root.
  if (to === "bot/" && from.startsWith("bot/")) return true;
  const row = table[from];
  return row !== undefined && (row.code.includes(to) || (isType && row.types.includes(to)));
}

test("every file is in a folder of the table, or an entry", () => {
  expect(files.filter((file) => areaOf(file) === undefined)).toEqual([]);
});

test("each folder imports only what the table of the design allows", () => {
  const broken = files
    .flatMap(importsOf)
    .filter((each) => !isAllowed(each))
    .map(
      ({ file, target }) =>
        `${file} imports ${target}, but ${table[areaOf(file) ?? ""]?.because ?? "it is in no folder of the table"}`,
    );

  expect(broken).toEqual([]);
});

/** Files that lead in a circle back to themselves, or from one circle to another. */
function inCircles(imports: readonly Pick<Import, "file" | "target">[]): readonly string[] {
  let left = imports;
  for (;;) {
    const [from, to] = [new Set(left.map(({ file }) => file)), new Set(left.map(({ target }) => target))];
    const next = left.filter(({ file, target }) => from.has(target) && to.has(file));
    if (next.length === left.length) return [...from].toSorted();
    left = next;
  }
}

test("no imports lead in a circle, not even those of types", () => {
  const two = [
    { file: "a", target: "b" },
    { file: "b", target: "c" },
    { file: "c", target: "b" },
    { file: "c", target: "d" },
  ];
  expect(inCircles(two)).toEqual(["b", "c"]);

  expect(inCircles(files.flatMap(importsOf))).toEqual([]);
});

test("inside the workflow, imports lead from an earlier stage to a later one, and never back", () => {
  const back = files.flatMap(importsOf).filter(leadsBack);

  expect(back.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  expect(leadsBack({ file: "bot/workflow/post/deliver.ts", target: "bot/workflow/run/run.ts" })).toBe(true);
  expect(leadsBack({ file: "bot/workflow/posts.ts", target: "bot/workflow/post/deliver.ts" })).toBe(true);
});

test("the table would notice views that import the store, a workflow that knows Slack, and a playground that imports the bot", () => {
  const tried = (file: string, target: string, isType = false) => isAllowed({ file, target, isType });
  expect(tried("bot/views/cards/change-card.ts", "bot/store/runs.ts")).toBe(false);
  expect(tried("playground/limits.ts", "bot/views/kit/blocks.ts", true)).toBe(false);
  expect(tried("playground/limits.ts", "platform/http/send.ts")).toBe(false);
  expect(tried("playground/page/app/request.ts", "platform/waiting.ts")).toBe(false);
  expect(tried("bot/slack/receive/route.ts", "bot/commands/verbs.ts")).toBe(true);
  expect(tried("bot/workflow/run.ts", "bot/slack/send/messenger.ts", true)).toBe(false);
  expect(tried("bot/workflow/run.ts", "bot/store/advance.ts")).toBe(false);
  expect(tried("bot/workflow/run.ts", "platform/http/send.ts", true)).toBe(false);
  expect(tried("bot/store/advance.ts", "bot/workflow/lifecycle.ts")).toBe(false);
  expect(tried("service/engines.ts", "bot/compose/config.ts", true)).toBe(false);
  expect(tried("gantry.ts", "platform/log.ts")).toBe(false);
  expect(tried("service/engines.ts", "bot/errors.ts", true)).toBe(false);
});

/** Inside `service`: its parts by folder, and the parts that each may import. */
const partsOfService: Readonly<Record<string, { readonly may: readonly string[]; readonly because: string }>> = {
  api: { may: ["engine.ts", "change-feed.ts"], because: "HTTP serves any engine" },
  workloads: {
    may: ["engine.ts", "engine-descriptor.ts", "change-feed.ts"],
    because: "it works over the runtime seam, so it knows no engine and no HTTP",
  },
  engines: {
    may: ["engine.ts", "engine-descriptor.ts", "change-feed.ts", "workloads"],
    because: "an engine implements the seam and knows no other engine",
  },
};

function partOf(file: string): string {
  const [, part = "", engine = ""] = file.split("/");
  return part === "engines" ? `${part}/${engine}` : part;
}

function isAllowedInService({ file, target }: Import): boolean {
  const [from, to] = [partOf(file), partOf(target)];
  const row = partsOfService[from.split("/")[0] ?? ""];
  return row === undefined || areaOf(target) !== "service/" || from === to || row.may.includes(to);
}

test("inside the service, workloads know no engine, and engines do not know each other", () => {
  const broken = files
    .filter((file) => areaOf(file) === "service/")
    .flatMap(importsOf)
    .filter((each) => !isAllowedInService(each))
    .map(
      ({ file, target }) =>
        `${file} imports ${target}, but ${partsOfService[partOf(file).split("/")[0] ?? ""]?.because}`,
    );

  expect(broken).toEqual([]);
  const seam = { file: "service/workloads/quota.ts", target: "service/engines/process/catalogue.ts", isType: true };
  const other = { file: "service/engines/docker/units.ts", target: "service/engines/process/child.ts", isType: true };
  expect([seam, other].map(isAllowedInService)).toEqual([false, false]);
});

test("only the config reads the environment of the bot, and only bins read their own", () => {
  const readers = files.filter((file) => /\bprocess\.env\b/u.test(readFileSync(join(src, file), "utf8")));

  // The programs of the built-in images are containers: their environment is their input. The launch plan hands them PATH.
  // A kubeconfig is found by KUBECONFIG, and its exec plugin runs in our environment, as in kubectl's.
  const allowed =
    /^(?:bin|service\/engines\/process\/programs)\/|^service\/engines\/process\/catalogue\.ts$|^service\/engines\/kubernetes\/cluster\/connect\.ts$|^main\.ts$|^bot\/compose\/config\.ts$/u;
  expect(readers.filter((file) => !allowed.test(file))).toEqual([]);
});

test("only redaction and the guard over the API say of a text that it is redacted, and only what was stored is taken at its word", () => {
  const makers = files.filter((file) =>
    /\bas Redacted\b|\bRedacted\.parse\b|\bas Guarded|\bas Answer</u.test(readFileSync(join(src, file), "utf8")),
  );
  const takers = files.filter((file) => /^import \{ Redacted \}/mu.test(readFileSync(join(src, file), "utf8")));

  expect(makers).toEqual(["bot/logs/entries.ts", "bot/logs/redact.ts", "bot/workflow/access/guarded-api.ts"]);
  // Schemas of what the store keeps.
  expect(takers).toEqual(["bot/changes/change.ts", "bot/changes/stored-change.ts"]);
});

test("the bot begins transactions in one place, which runs one again that PostgreSQL ended for a deadlock", () => {
  const beginners = files
    .filter((file) => file.startsWith("bot/"))
    .filter((file) => /\.(?:startT|t)ransaction\(/u.test(readFileSync(join(src, file), "utf8")));

  expect(beginners).toEqual(["bot/store/database/session.ts"]);
});

test("only the folder for Slack knows Bolt and the Web API", () => {
  const users = files.filter((file) => /from "@slack\/(?:bolt|web-api)/u.test(readFileSync(join(src, file), "utf8")));

  expect(users.filter((file) => areaOf(file) !== "bot/slack/")).toEqual([]);
});

test("requests to the workload API are built by openapi-fetch from the generated types, and nowhere else", () => {
  const users = files.filter((file) => readFileSync(join(src, file), "utf8").includes('from "openapi-fetch"'));

  expect(users).toEqual(["api/exchange.ts"]);
});
