import { readFileSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { unawaited } from "../../platform/waiting.ts";
import { DataError } from "../errors.ts";
import { cutVariables, variablesIn } from "./setup/env-file.ts";

/** In a folder that only who installed Gantry may write to: in a shared one, somebody could leave code there. */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/gantry-compiled", import.meta.url));

/** Modules that are imported afterwards are found as they were compiled the last time; where that can't be kept, nothing is. */
export function keepCompiled(): void {
  enableCompileCache(COMPILED);
}

/**
 * Loading modules is most of a start. It is quicker with what Node compiled the last time. And it makes garbage for which
 * V8 would extend its young generation, which a bot that waits doesn't need.
 *
 * Both hold for modules that are imported afterwards, so entry points import the rest with `await import`.
 */
export function beginLoading(): void {
  keepCompiled();
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Work may extend the young generation again. The old one is collected when it has grown by 70 %: left alone, V8 lets
 * the garbage of a busy hour grow to four times what is in use. What was compiled is saved: a bot may run until it is
 * killed.
 */
export function endLoading(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=70");
  flushCompileCache();
}

/** Where `npm run setup` writes and the other programs read, unless GANTRY_ENV_FILE names another file. */
const USUAL = ".env";

/**
 * Reads the file of variables into `env`, the process's own, if there is one. Variables that are set already win. Node's own `--env-file-if-exists`
 * reports each start without that file as if something was wrong.
 */
export function loadEnvFile(env: Environment): void {
  const file = env["GANTRY_ENV_FILE"] || USUAL;
  try {
    process.loadEnvFile(file);
    refuseCut(file, env);
  } catch (cause) {
    // A bug keeps its stack.
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    if (cause.code === "ENOENT") return;
    const why = readTrouble(cause).replace(/\.$/u, "");
    throw new DataError(`Couldn't read the variables in ${file}: ${why}. Check GANTRY_ENV_FILE.`, { cause });
  }
}

/** Other programs may read the same file, as they like. */
const OURS = /^(?:GANTRY|SLACK|WORKLOAD|SERVICE|DATABASE|PLAYGROUND)_|_PROXY$/u;

/** A token without its end would be refused where nobody can tell why. */
function refuseCut(file: string, env: Environment): void {
  const text = readFileSync(file, "utf8");
  const read = variablesIn(text);
  const cut = cutVariables(text).filter((name) => OURS.test(name) && env[name] === read[name]);
  if (cut.length === 0) return;
  throw new DataError(
    `${file} has a # in the value of ${cut.join(", ")}. What follows it counts as a comment. ` +
      "Put the value in single quotes, or a space before the comment. Nothing was changed.",
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that an app of the Slack CLI doesn't use; `.env` may hold them for another app. */
const others = ["SLACK_SIGNING_SECRET", "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "GANTRY_URL"];

/**
 * The environment for `slack run`: Socket Mode, with the tokens of the app that the Slack CLI has installed. Undefined when
 * it brings none. https://docs.slack.dev/tools/slack-cli/reference/hooks
 */
export function slackCliEnvironment(env: Environment): Environment | undefined {
  const { SLACK_CLI_XOXB: botToken, SLACK_CLI_XAPP: appToken } = env;
  if (botToken === undefined || appToken === undefined) return undefined;
  // An empty variable counts as unset.
  const unset = Object.fromEntries(others.map((name) => [name, ""]));
  return { ...env, ...unset, SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken };
}

/** Below the patience of terminals, Docker and Kubernetes, which then kill the process. */
const STOP_WITHIN_MS = 25_000;

/** Under npm, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_CTRL_C_MS = 500;

/**
 * Stops and exits at the first SIGINT or SIGTERM; a second one exits immediately. The returned function does the same
 * with an exit code, for crashes.
 */
export function stopOnSignals(
  clock: Pick<Clock, "after" | "elapsedMs">,
  stop: () => Promise<void>,
): (code: number) => void {
  let stoppingSince: number | undefined;
  let worst = 0;
  const end = (code: number): void => {
    worst = Math.max(worst, code);
    // A stop that waits for nothing which keeps the process alive would end it with 0, also after a crash.
    process.exitCode = worst;
    if (stoppingSince !== undefined) {
      // A crash during shutdown only changes the exit code. Only a second signal exits immediately.
      if (code === 0 && clock.elapsedMs() - stoppingSince > SAME_CTRL_C_MS) process.exit(worst === 0 ? 130 : worst);
      return;
    }
    stoppingSince = clock.elapsedMs();
    clock.after(STOP_WITHIN_MS, () => {
      process.stderr.write(`Gantry didn't stop in ${STOP_WITHIN_MS / 1_000} s, so it ends now.\n`);
      process.exit(1);
    });
    const stopped = stop().then(
      () => process.exit(worst),
      (error: unknown) => {
        process.stderr.write(`Gantry didn't stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
    unawaited(stopped);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(0));
  return end;
}

export type CrashParts = {
  readonly log: Logger;
  /** Unfinished deliveries, changes or requests, by id. */
  readonly inProgress: () => readonly string[];
  /** Shuts down within a time limit and exits with this code. */
  readonly end: (code: number) => void;
};

const MOST_NAMED = 50;

/**
 * After an uncaught error the state of the process is unknown. Logs the error with a reference and the unfinished work,
 * which another process takes over, then shuts down. Errors during shutdown are logged as well.
 */
export function endOnCrash({ log, inProgress, end }: CrashParts): void {
  let isEnding = false;
  const crash = (err: unknown, origin: string): void => {
    const reference = randomBytes(4).toString("hex");
    const all = isEnding ? [] : inProgress();
    log.fatal(
      { err, origin, reference, inProgress: all.slice(0, MOST_NAMED), inProgressCount: all.length },
      isEnding ? "another uncaught error during shutdown" : "uncaught error: shutting down",
    );
    if (!isEnding) end(1);
    isEnding = true;
  };
  process.on("uncaughtException", (error, origin) => crash(error, origin));
  process.on("unhandledRejection", (reason) => crash(reason, "unhandledRejection"));
}

const readTroubles: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
  EACCES: "you don't have permission",
  EPERM: "you don't have permission",
};

/** Why a file couldn't be read, with the system's code; for other errors, their message. */
export function readTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  const why = readTroubles[code];
  return why === undefined ? error.message : `${why} (${code})`;
}
