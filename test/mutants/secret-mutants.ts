import type { Mutant } from "./mutants.ts";

const guard = ["test/bot/workflow/access/guarded-api.test.ts"];
const afterStart = ["test/flows/connecting/secrets.test.ts"];
const everywhere = ["test/flows/connecting/told-from-outside.test.ts"];
const onSqlite = ["test/bot/store/on-sqlite.test.ts"];

/** Each lets a secret through on one way: into what people read, or onto the disk. */
export const secretMutants: readonly Mutant[] = [
  {
    bug: "why a workload restarted repeats its password",
    file: "src/api/redacted.ts",
    text: '  "last_reason",\n',
    becomes: "",
    tests: guard,
  },
  {
    bug: "why events are missing repeats a password",
    file: "src/api/redacted.ts",
    text: '  "events_not_read",\n',
    becomes: "",
    tests: guard,
  },
  {
    bug: "a warning of the cluster repeats a password",
    file: "src/bot/workflow/access/guarded-api.ts",
    text: "onWarnings(warnings.map(hide))",
    becomes: "onWarnings(warnings)",
    tests: guard,
  },
  {
    bug: "what the engine says of a region repeats a password",
    file: "src/bot/workflow/access/guarded-api.ts",
    text: "if (info !== undefined) hideIn(info, () => []);",
    becomes: "",
    tests: guard,
  },
  {
    bug: "what a write answers repeats a password",
    file: "src/bot/workflow/access/guarded-api.ts",
    text: "if (left === 0 && !Array.isArray(answer))",
    becomes: "if (left > 0 && !Array.isArray(answer))",
    tests: guard,
  },
  {
    bug: "a replica reports what its engine says with the passwords in it",
    file: "src/bot/compose/bot.ts",
    text: "    api: guardedApi(parts.api, createEnvValues(clock)),\n",
    becomes: "    api: parts.api,\n",
    tests: everywhere,
  },
  {
    bug: "right after a start, the log of a bare name is shown with its passwords",
    file: "src/bot/commands/verbs/logs/open-log.ts",
    text: "    if (kind === undefined) await readEnv(name, context);\n",
    becomes: "",
    tests: afterStart,
  },
  {
    bug: "right after a start, the last lines of what fails are told with its passwords",
    file: "src/bot/workflow/access/env-values.ts",
    text: "      if (!env.isFresh(account, workload)) await readWorkload({ ...workload, uid: undefined }, { api, signal });\n",
    becomes: "",
    tests: afterStart,
  },
  {
    bug: "the last lines of what fails are told as they were written",
    file: "src/bot/logs/threads/worker.ts",
    text: "redactLines(task.lines.map(cleanLine), task.secrets)",
    becomes: "task.lines.map(cleanLine)",
    tests: [...afterStart, "test/bot/logs/threads/log-pool.test.ts"],
  },
  {
    bug: "a line is cut before it is redacted",
    file: "src/bot/logs/threads/worker.ts",
    text: "redactLines(task.lines.map(cleanLine), task.secrets).map(lastState).map(shown)",
    becomes: "redactLines(task.lines.map((line) => line.slice(0, LONGEST)).map(cleanLine), task.secrets)",
    tests: ["test/bot/logs/threads/log-pool.test.ts"],
  },
  {
    bug: "how a request ended and the last lines of a log are stored in the clear",
    file: "src/bot/store/database/text-sealer.ts",
    text: "return withoutTexts.has(beside.kind) ? text : JSON",
    becomes: "return withoutTexts.size > 0 ? text : JSON",
    tests: onSqlite,
  },
  {
    bug: "what was stored in the clear before the upgrade stays so",
    file: "src/bot/store/schema/migrations.ts",
    text: ": sealJson(sealer, text, id);",
    becomes: ": text;",
    tests: onSqlite,
  },
];
