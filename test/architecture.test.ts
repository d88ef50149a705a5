import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../src");

type Row = {
  /** Folders of ours whose code may be imported. */
  readonly code: readonly string[];
  /** Folders of which only types may be imported. */
  readonly types: readonly string[];
  readonly because: string;
};

/** Who may import what, and why; a folder that is not listed here does not pass. */
const table: Readonly<Record<string, Row>> = {
  api: { code: [], types: [], because: "the contract depends on nobody" },
  logs: { code: [], types: ["api"], because: "pure: the same input always filters and redacts the same" },
  "log-worker": {
    code: ["logs"],
    types: [],
    because: "threads in which logs are redacted and filtered: a file that a thread runs, and what ends it in time",
  },
  policy: { code: [], types: ["api"], because: "pure: the same input always decides the same" },
  accounts: { code: ["api", "policy"], types: [], because: "whose token it is knows no Slack and no SQL" },
  changes: {
    code: ["api", "policy"],
    types: ["accounts"],
    because: "the life of a write knows no Slack and no SQL: it is given what it needs",
  },
  health: { code: [], types: [], because: "pure: the same facts always give the same lines" },
  views: {
    code: ["api", "logs", "health"],
    types: ["changes", "commands", "accounts", "policy"],
    because: "pure: the same state always draws the same; of the verbs it knows only the type Ask, which buttons carry",
  },
  commands: {
    code: ["api", "views", "changes", "logs", "policy"],
    types: ["accounts"],
    because: "a verb runs without Slack, in a test or a terminal; of policy it uses the table of operations",
  },
  workflow: {
    code: ["api", "commands", "views", "changes", "policy", "accounts", "logs", "health"],
    types: ["log-worker"],
    because: "the life of a request: no Slack and no SQL; it declares the ports that it needs",
  },
  store: {
    code: ["changes", "health"],
    types: ["api", "accounts", "policy", "workflow"],
    because: "SQL can be swapped without touching a rule; rows are parsed with the schema of what they hold",
  },
  slack: {
    code: ["api", "workflow", "commands", "views", "changes", "policy", "accounts", "http"],
    types: ["store", "health"],
    because: "the only folder that knows Slack and Bolt",
  },
  service: { code: ["api", "http"], types: [], because: "it would run as well on its own" },
  playground: { code: [], types: [], because: "it must not know the bot it judges" },
  http: { code: [], types: [], because: "how our HTTP servers listen and requests leave: limits, ports, proxies" },
};

/**
 * These may be imported by everybody but the playground; the other files of the root are entries. How a database is
 * opened is here because both the bot and the service have one, and neither may import the other.
 */
const shared = [
  "log.ts",
  "errors.ts",
  "sqlite.ts",
  "postgres.ts",
  "database-tls.ts",
  "database-trouble.ts",
  "unawaited.ts",
  "version.ts",
];

/** They put the parts together, so they may import all of them. */
const composition = new Set(["", "bin", "boot", "stand-ins"]);

type Import = { readonly file: string; readonly target: string; readonly isType: boolean };

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const statements = text.matchAll(/^(import|export)( type)?\b([^;]*?)\bfrom "(\.[^"]+)"/gmu);
  return [...statements].map(([, , isType, , target = ""]) => ({
    file,
    target: relative(src, join(src, dirname(file), target)),
    isType: isType !== undefined,
  }));
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

function folderOf(file: string): string {
  return file.includes(sep) ? (file.split(sep)[0] ?? "") : "";
}

function isAllowed({ file, target, isType }: Import): boolean {
  const from = folderOf(file);
  const to = folderOf(target);
  if (composition.has(from) || from === to) return true;
  const row = table[from];
  if (row === undefined) return false;
  if (to === "") return shared.includes(target) && from !== "playground";
  return row.code.includes(to) || (isType && row.types.includes(to));
}

test("each folder imports only what the table of the design allows", () => {
  const broken = files
    .flatMap(importsOf)
    .filter((each) => !isAllowed(each))
    .map(
      ({ file, target }) =>
        `${file} imports ${target}, but ${table[folderOf(file)]?.because ?? "its folder is not in the table"}`,
    );

  expect(broken).toEqual([]);
});

test("the table would notice views that import the store, a workflow that knows Slack, and a playground that imports the bot", () => {
  expect(isAllowed({ file: "views/cards/change-card.ts", target: "store/runs.ts", isType: false })).toBe(false);
  expect(isAllowed({ file: "playground/limits.ts", target: "views/kit/blocks.ts", isType: true })).toBe(false);
  expect(isAllowed({ file: "playground/limits.ts", target: "errors.ts", isType: false })).toBe(false);
  expect(isAllowed({ file: "slack/receive/route.ts", target: "commands/verbs.ts", isType: false })).toBe(true);
  expect(isAllowed({ file: "workflow/run.ts", target: "slack/send/messenger.ts", isType: true })).toBe(false);
  expect(isAllowed({ file: "workflow/run.ts", target: "store/advance.ts", isType: true })).toBe(false);
  expect(isAllowed({ file: "store/advance.ts", target: "workflow/lifecycle.ts", isType: false })).toBe(false);
});

/** Inside `service`: its parts by folder, and the parts that each may import. */
const partsOfService: Readonly<Record<string, { readonly may: readonly string[]; readonly because: string }>> = {
  api: { may: ["engine.ts", "capabilities.ts"], because: "HTTP serves any engine" },
  workloads: {
    may: ["engine.ts", "capabilities.ts"],
    because: "it works over the runtime seam, so it knows no engine and no HTTP",
  },
  engines: {
    may: ["engine.ts", "capabilities.ts", "workloads"],
    because: "an engine implements the seam and knows no other engine",
  },
};

function partOf(file: string): string {
  const [, part = "", engine = ""] = file.split(sep);
  return part === "engines" ? `${part}/${engine}` : part;
}

function isAllowedInService({ file, target }: Import): boolean {
  const [from, to] = [partOf(file), partOf(target)];
  const row = partsOfService[from.split("/")[0] ?? ""];
  return row === undefined || folderOf(target) !== "service" || from === to || row.may.includes(to);
}

test("inside the service, workloads know no engine, and engines do not know each other", () => {
  const broken = files
    .filter((file) => folderOf(file) === "service")
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
    /^(?:bin|service\/engines\/process\/programs)\/|^service\/engines\/process\/instances\/launch-plan\.ts$|^service\/engines\/kubernetes\/cluster\/connect\.ts$|^main\.ts$|^boot\/config\.ts$/u;
  expect(readers.filter((file) => !allowed.test(file.replaceAll(sep, "/")))).toEqual([]);
});

test("only the folder for Slack knows Bolt and the Web API", () => {
  const users = files.filter((file) => /from "@slack\/(?:bolt|web-api)/u.test(readFileSync(join(src, file), "utf8")));

  expect(users.filter((file) => folderOf(file) !== "slack")).toEqual([]);
});
