import { closeSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";
import { parseEnv } from "node:util";

/** A value to set, or undefined to remove the variable. */
export type EnvChanges = Readonly<Record<string, string | undefined>>;

/** The variables of an `.env` file, as Node reads them. */
export function variablesIn(text: string): Readonly<Record<string, string | undefined>> {
  return parseEnv(text);
}

/** Names whose value Node cuts at a `#` in the middle of a word, because it begins a comment outside of quotes. */
export function cutVariables(text: string): readonly string[] {
  const names = statements(text).flatMap(({ name, lines: [line = ""] }) =>
    name !== undefined && CUT.test(line) ? [name] : [],
  );
  return [...new Set(names)];
}

/** A `#` that directly follows a value without quotes, or the `=`. */
const CUT = /^[^=]*=(?![^\S\n]*["'`])(?:[^#]*[^#\s])?#/u;

/** The text of an `.env` file with other values. Comments, order and all other lines stay as they are. Pure. */
export function changedEnv(text: string, changes: EnvChanges): string {
  const done = new Set<string>();
  const kept = statements(text).flatMap(({ name, lines }) => {
    if (name === undefined || !Object.hasOwn(changes, name)) return lines;
    const value = changes[name];
    // Node takes the last of several.
    if (value === undefined || done.has(name)) return [];
    done.add(name);
    return [`${name}=${quoted(value)}`];
  });
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined || done.has(name) ? [] : [`${name}=${quoted(value)}`],
  );
  const all = [...kept, ...added];
  return all.length === 0 ? "" : `${all.join("\n")}\n`;
}

type Statement = { readonly name: string | undefined; readonly lines: readonly string[] };

/** A quoted value may go over several lines. */
function statements(text: string): Statement[] {
  const lines = text.replace(/\r?\n$/u, "").split(/\r?\n/u);
  if (text === "") return [];
  const found: Statement[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [line = ""] = lines.slice(at);
    const [, name, quote] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(["'`])?/u.exec(line) ?? [];
    const end = quote === undefined ? at : endOf(lines, { at, quote });
    found.push({ name, lines: lines.slice(at, end + 1) });
    at = end;
  }
  return found;
}

/** The line with the closing quote; the same line when there is none. */
function endOf(lines: readonly string[], { at, quote }: { readonly at: number; readonly quote: string }): number {
  const [first = "", ...rest] = lines.slice(at);
  if (first.split(quote).length > 2) return at;
  const more = rest.findIndex((line) => line.includes(quote));
  return more < 0 ? at : at + 1 + more;
}

/** Plain where possible: `docker run --env-file` takes quotes literally. */
function quoted(value: string): string {
  if (/^[\w./:@%+=,~!*?&;()[\]{}|<>^-]*$/u.test(value)) return value;
  const quote = ["'", '"', "`"].find((each) => !value.includes(each) && !(each === '"' && value.includes("\\")));
  if (quote === undefined || /[\r\n]/u.test(value)) {
    throw new Error("A value with all kinds of quotes, or with several lines, can't be written into .env.");
  }
  return `${quote}${value}${quote}`;
}

/** "" when there is no such file. */
export function readEnvFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw new Error(`Couldn't read ${path} (${codeOf(error)}).`, { cause: error });
  }
}

/** Replaces the file at once, readable by its owner only. Throws an Error with a sentence; the old file is unchanged then. */
export function writeEnvFile(path: string, text: string): void {
  const target = targetOf(path);
  const beside = `${target}.${process.pid}.new`;
  try {
    const file = openSync(beside, "wx", 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new Error(
      `Couldn't write ${path} (${codeOf(error)}). Nothing was changed. Choose another file with --file, in a folder where you may write.`,
      { cause: error },
    );
  }
}

/** A link stays one. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
