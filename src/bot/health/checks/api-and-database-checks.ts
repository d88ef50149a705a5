import { reportsOf, type Facts, type KeyFacts, type SealedRows } from "../facts.ts";
import { broken, type Judged, ok, warning, counted, aheadOrBehind } from "../finding.ts";

/** A read with the workspace's account. */
export function apiAnswer(facts: Facts): Judged[] {
  const { api } = facts;
  if (api.kind === "inside") {
    return reportsOf(facts).length > 0
      ? [ok("The workload API runs inside Gantry")]
      : [
          warning(
            "The workload API runs inside Gantry, and can't be checked without it",
            "Start Gantry, then check again.",
          ),
        ];
  }
  if (api.kind === "own") {
    const { host, connected, workspaces } = api;
    if (connected >= workspaces) return [ok(`Each workspace has its own account at ${host}`)];
    return [
      warning(
        `${counted(workspaces - connected, "workspace")} of ${workspaces} without an account at ${host}`,
        "A workspace admin connects one with `/gantry connect workspace`.",
      ),
    ];
  }
  const { host, account, answer, region } = api;
  if (answer.ok) return [ok(`${host} answers as \`${account}\` (services in ${region}, ${answer.ms} ms)`)];
  const todo = answer.isAccountRefused
    ? "Check WORKLOAD_API_USERNAME and WORKLOAD_API_TOKEN."
    : "Check WORKLOAD_API_URL, and that the workload API runs.";
  return [broken(answer.says, todo)];
}

/** Fewer left than this share of the day's calls. */
const FEW_LEFT = 0.1;

export function apiCalls({ api }: Facts): Judged[] {
  if (api.kind === "own") return [];
  const { count, perDay } = api.calls;
  if (perDay === undefined) return [ok(`${counted(count, "API request")} today by \`${api.account}\``)];
  const left = Math.max(0, perDay - count);
  const says = `${left} of ${perDay} API requests left today for \`${api.account}\``;
  const todo = "Raise the limit of this account, or let people connect their own with `/gantry connect`.";
  if (left === 0) return [broken(says, todo)];
  return [left < perDay * FEW_LEFT ? warning(says, todo) : ok(says)];
}

/** Each region of the engine, if the workload API says what runs it. */
export function engine(facts: Facts): Judged[] {
  const found = facts.api.kind === "asked" ? facts.api.engine : reportsOf(facts).find((each) => each.engine)?.engine;
  if (found === undefined) return [];
  const unwell = found.regions.filter(({ problem }) => problem !== undefined);
  if (unwell.length === 0) {
    const regions = found.regions.map(({ name, version }) => (version === undefined ? name : `${name} ${version}`));
    return [ok(`${found.title}: ${regions.join(", ")}`)];
  }
  return unwell.map(({ name, problem }) => {
    const says = `${found.title} in ${name}: ${problem ?? "it can't be reached"}`;
    const todo = `Check ${found.title} in ${name}; Gantry goes on as soon as it answers.`;
    return unwell.length === found.regions.length ? broken(says, todo) : warning(says, todo);
  });
}

const titles = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;
const makeWritable = {
  sqlite: "Check the disk and the rights of GANTRY_DATA.",
  postgres: "Check its disk and settings, and that DATABASE_URL points to the primary.",
} as const; // a todo for each flavour
/** Writes are stored within a second before Slack gets its ack. */
const SLOW_MS = 250;

export function database({ database: facts }: Facts): Judged[] {
  if (facts.kind === "missing") {
    return [warning(`There is no database at ${facts.path} yet`, "Start Gantry, or check GANTRY_DATA.")];
  }
  if (facts.kind === "away") {
    return [broken(`The database can't be used: ${facts.why}`, "Check the database and DATABASE_URL.")];
  }
  const { flavour, version, latencyMs, refusesWrites } = facts;
  if (refusesWrites !== undefined) {
    return [broken(`${titles[flavour]} ${version} stores no requests: ${refusesWrites}`, makeWritable[flavour])];
  }
  const says = `${titles[flavour]} ${version} answers in ${latencyMs} ms`;
  if (latencyMs < SLOW_MS) return [ok(says)];
  return [
    warning(`${says}, which is slow: a click must be stored within 1 s`, "Check the database's load and network."),
  ];
}

export function schema({ database: facts }: Facts): Judged[] {
  if (facts.kind !== "open") return [];
  const { at, known } = facts.schema;
  if (at === known) return [ok(`The schema is up to date (${at})`)];
  if (at < known) {
    return [warning(`The schema is at ${at} of ${known}`, "Start this version of Gantry: it updates the schema.")];
  }
  return [
    broken(
      `A newer Gantry wrote this database (schema ${at}; this version knows ${known})`,
      "Start that version, or use another database.",
    ),
  ];
}

const LARGE_SKEW_MS = 30_000;

export function databaseClock({ database: facts }: Facts): Judged[] {
  if (facts.kind !== "open" || facts.flavour === "sqlite") return [];
  if (Math.abs(facts.aheadMs) < LARGE_SKEW_MS) return [ok("This machine's clock agrees with the database's")];
  return [
    warning(
      `This machine's clock is ${aheadOrBehind(facts.aheadMs)} the database's`,
      "Synchronize both clocks, for example with chrony or systemd-timesyncd.",
    ),
  ];
}

const MIB = 1024 * 1024;
const LITTLE_MIB = 500;
const TOO_LITTLE_MIB = 20;

/** While this is false, no heartbeat is stored either: it is a write. */
export function takesWrites({ database: facts }: Pick<Facts, "database">): boolean {
  if (facts.kind !== "open") return true;
  return (
    facts.refusesWrites === undefined && (facts.freeBytes === undefined || facts.freeBytes >= TOO_LITTLE_MIB * MIB)
  );
}

export function disk({ database: facts }: Facts): Judged[] {
  if (facts.kind !== "open" || facts.freeBytes === undefined) return [];
  const free = Math.floor(facts.freeBytes / MIB);
  const todo = "Free some space on the disk of GANTRY_DATA.";
  if (free < TOO_LITTLE_MIB) return [broken(`Only ${free} MiB are free for the database`, todo)];
  if (free < LITTLE_MIB) return [warning(`Only ${free} MiB are free for the database`, todo)];
  return [ok(`${free >= 1024 ? `${Math.floor(free / 1024)} GiB` : `${free} MiB`} are free for the database`)];
}

/** Whether the configured keys open what is stored. */
export function keys({ keys: facts }: Facts): Judged[] {
  if (facts === undefined) return [];
  if (facts.problem !== undefined) return [broken(facts.problem, KEY_ADVICE)];
  const closed = facts.sealed.filter(({ opens }) => opens !== "yes");
  const { exposedFile } = facts;
  return [
    ...(exposedFile === undefined
      ? []
      : [warning(`Other users of this machine can read ${exposedFile}`, `Run \`chmod 600 ${exposedFile}\`.`)]),
    ...(closed.length > 0 ? closed.map(unopened) : [opened(facts)]),
  ];
}

const KEY_ADVICE =
  "Correct them, or restore them from a backup: without them, connected accounts and waiting requests are lost.";

function opened({ ids, sealed }: KeyFacts): Judged {
  const count = sealed.reduce((sum, each) => sum + each.count, 0);
  const [first = ""] = ids;
  const old = [...new Set(sealed.map(({ keyId }) => keyId))].filter((id) => id !== first);
  if (count === 0) return ok(`Nothing is sealed yet; the key \`${first}\` seals`);
  const stillUsed = old.length === 0 ? "" : `; keep ${old.map((id) => `\`${id}\``).join(", ")}, which older ones need`;
  const values = counted(count, "sealed value");
  return sealed.some(({ isNewestOnly }) => isNewestOnly)
    ? ok(`The keys open the newest ${values} (\`${first}\` seals${stillUsed})`)
    : ok(`The keys open everything stored (${values}; \`${first}\` seals${stillUsed})`);
}

function unopened({ what, keyId, count, opens }: SealedRows): Judged {
  const rows = `${what.charAt(0).toUpperCase()}${what.slice(1)} (${count})`;
  if (opens === "damaged") {
    return broken(
      `${rows} with the key \`${keyId}\` are damaged`,
      "Restore the database from a backup, or enter the tokens again.",
    );
  }
  return opens === "unknown-key"
    ? broken(
        `${rows} were sealed with the key \`${keyId}\`, which isn't configured`,
        `Put the key \`${keyId}\` into gantry.key or GANTRY_KEYS, after the first one.`,
      )
    : broken(
        `${rows} were sealed with another key than the configured \`${keyId}\``,
        `Put the original key under the id \`${keyId}\`, and give the new key its own id.`,
      );
}
