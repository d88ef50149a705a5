// Exports and checks the audit chain: `gantry audit export|verify`.
import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  type Asked,
  exportLines,
  linesOf,
  type Report,
  verifyDatabase,
  verifyLines,
  withChain,
} from "../bot/compose/audit/audit-command.ts";
import { createSealer, type Sealer } from "../bot/accounts/seal.ts";
import { readConfig } from "../bot/compose/config.ts";
import { configuredKeyring } from "../bot/compose/keys.ts";
import { DataError } from "../bot/errors.ts";
import { runCommand, typed, UsageError } from "./command.ts";
import { calledAs } from "./programs.ts";
import { machineClock } from "../platform/clock.ts";

const usage = `Usage: ${calledAs("audit")} export [--from TIME] [--to TIME] [--team T0123ABCD] [--out FILE]
       ${calledAs("audit")} verify [FILE] [--public-key KEY]
export   writes history as JSON lines, to stdout or a new file that only you can read
  --from   the first moment, like 2026-11-01 or 2026-11-01T08:00:00Z (UTC)
  --to     the first moment after it
  --team   one workspace
verify   checks an export without a database or network, or without FILE the database itself
  --public-key   the key that must have signed the export; may be repeated. Default: this Gantry's own
It reads the same settings as npm start, also from .env, changes nothing, and works while Gantry runs.
Exits with 0 if all is intact, 1 if something was changed, 2 if it can't be told, or the options are wrong.
`;

function timeIn(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/u.test(text);
  if (!isTime || Number.isNaN(Date.parse(text))) {
    throw new UsageError(`--${name} must be a day or a time with a zone, like 2026-11-01 or 2026-11-01T08:00:00Z.`);
  }
  return new Date(text).toISOString();
}

const exitCodes: Readonly<Record<Report["state"], number>> = { intact: 0, broken: 1, unproven: 2 };
const KEY_OPTION = "--public-key";

/** One key of 64 begins with a dash, and would be taken for an option. */
function withKeys(args: readonly string[]): string[] {
  const isKey = (at: number): boolean => args[at - 1] === KEY_OPTION && /^-[\w-]{40}/u.test(args[at] ?? "");
  return args.flatMap((arg, at) => (isKey(at) ? [] : isKey(at + 1) ? [`${arg}=${args[at + 1]}`] : [arg]));
}

function exportTo(out: string | undefined, asked: Asked): Promise<void> {
  return withChain(readConfig(process.env), async (chain) => {
    const lines = exportLines(chain, asked, machineClock.now());
    const written = Readable.from(withNewLines(lines));
    return out === undefined ? writeOut(written) : writeNew(out, written);
  });
}

/** To a terminal, a redirected file or another program, which may end first. */
async function writeOut(lines: Readable): Promise<void> {
  let failure: unknown;
  process.stdout.once("error", (cause) => (failure = cause));
  try {
    await pipeline(lines, process.stdout, { end: false });
  } catch (cause) {
    // Otherwise the database failed.
    if (cause !== failure) throw cause;
    const code = codeOf(cause);
    const why = writeTrouble[code] ?? "its output failed";
    throw new DataError(`The export isn't complete: ${why} (${code}). Export to a file with --out.`, { cause });
  }
}

/** Never overwrites a file, and deletes one that it couldn't finish. */
async function writeNew(path: string, lines: Readable): Promise<void> {
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    throw writeErrorOf(path, cause);
  });
  try {
    await pipeline(lines, file.createWriteStream());
  } catch (cause) {
    await rm(path, { force: true });
    throw writeErrorOf(path, cause);
  }
}

const writeTrouble: Readonly<Record<string, string>> = {
  EEXIST: "it exists already",
  ENOENT: "its folder doesn't exist",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
  EACCES: "you don't have permission",
  EPERM: "you don't have permission",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk quota is used up",
  EPIPE: "the program that read it has ended",
};

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** Returns errors that aren't about the file unchanged. */
function writeErrorOf(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  const why = writeTrouble[code];
  if (why === undefined) return cause;
  const message = `Couldn't write ${path}: ${why} (${code}). Nothing was exported. Name another file with --out.`;
  return new DataError(message, { cause });
}

async function* withNewLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Undefined on a machine without Gantry's keys, where an export can be checked too. */
function ownSealer(): Sealer | undefined {
  try {
    const keyring = configuredKeyring(readConfig(process.env));
    return "problem" in keyring ? undefined : createSealer(keyring.keys);
  } catch {
    return undefined;
  }
}

const text = { type: "string" } as const;

await runCommand({ usage, failed: 2 }, async () => {
  const options = { from: text, to: text, team: text, out: text, "public-key": { ...text, multiple: true } } as const;
  const { values, positionals } = typed(options, withKeys(process.argv.slice(2)));
  const [what, file, extra] = positionals;
  if (extra !== undefined) throw new UsageError(`Unexpected argument “${extra}”.`);
  switch (what) {
    case "export": {
      if (file !== undefined) throw new UsageError("Name the file with --out.");
      const asked = { teamId: values.team ?? null, from: timeIn("from", values.from), to: timeIn("to", values.to) };
      if (asked.from !== null && asked.to !== null && asked.from >= asked.to) {
        throw new UsageError(`--from (${asked.from}) must be before --to (${asked.to}). Nothing was exported.`);
      }
      await exportTo(values.out, asked);
      return "";
    }
    case "verify": {
      const publicKeys = values["public-key"] ?? [];
      if (file === undefined && publicKeys.length > 0) {
        throw new UsageError(
          "--public-key is for an export: name its FILE. The database is checked with Gantry's own keys.",
        );
      }
      const { says, state } =
        file === undefined
          ? await withChain(readConfig(process.env), verifyDatabase)
          : await verifyLines(linesOf(file), { publicKeys, sealer: ownSealer() });
      return { says, code: exitCodes[state] };
    }
    default:
      throw new UsageError(
        what === undefined ? "Use export or verify." : `Unknown command “${what}”. Use export or verify.`,
      );
  }
});
