import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type DestinationStream, type Logger, pino } from "pino";
import { z } from "zod";
import { type Clock, machineClock } from "./clock.ts";
import { currentTrail } from "./trail.ts";
import { within } from "./waiting.ts";
import { defined, jsonIn } from "./optional.ts";

/** An error in the log: the log's own words and the reference to find it by. Never what somebody typed. */
export type RecentError = {
  /** ISO 8601. */
  readonly at: string;
  readonly says: string;
  readonly reference?: string | undefined;
};

/** The reference of an error: its message and the log name it. */
export function newReference(): string {
  return randomBytes(4).toString("hex");
}

export type LogOptions = {
  readonly level: string;
  /** Tokens and secrets of the configuration, removed wherever they appear. */
  readonly secrets: readonly string[];
  /** Default: standard output. */
  readonly to?: DestinationStream;
  /** Dates the lines. Default: this machine's. */
  readonly clock?: Pick<Clock, "now">;
  /** JSON by default. `pretty` is for a terminal. */
  readonly format?: "json" | "pretty";
};

const REDACTED = "[redacted]";

/**
 * JSON lines, or the same for a terminal. Secrets are removed from the finished line, whether they came in a field, an
 * error's message or its stack. With tracing, each line has the `trace_id` of the interaction that it belongs to.
 */
export function createLog({ level, secrets, to, clock = machineClock, format = "json" }: LogOptions): Logger {
  const known = secrets
    .filter((secret) => secret.length >= 8)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const recent: RecentError[] = [];
  const isColoured = to === undefined && process.stdout.isTTY;
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${clock.now().toISOString()}"`,
    // The field's name in all logs beside OpenTelemetry: https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/
    mixin() {
      const id = currentTrail()?.traceId;
      return id === undefined ? {} : { trace_id: id };
    },
    hooks: {
      streamWrite(line: string) {
        let clean = line.length <= LONGEST ? line : shortened(line);
        for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
        for (const [pattern, replacement] of patterns) clean = clean.replaceAll(pattern, replacement);
        remember(recent, clean);
        return format === "pretty" ? prettyLine(clean, isColoured) : clean;
      },
    },
  };
  // Asynchronous: if the reader of the output stalls, acks must not wait for it.
  const output = to === undefined ? pino.destination({ fd: process.stdout.fd, sync: false }) : undefined;
  const log = pino(options, to ?? output);
  recentOf.set(log, recent);
  if (output !== undefined) outputs.set(log, output);
  return log;
}

const outputs = new WeakMap<Logger, ReturnType<typeof pino.destination>>();
const CLOSE_WITHIN_MS = 1_000;

/** Writes out the log. Call it right before the process exits: lines still in the buffer would be lost. */
export async function closeLog(log: Logger): Promise<void> {
  const output = outputs.get(log);
  if (output === undefined) return;
  const closed = once(output, "close");
  output.end();
  await within(CLOSE_WITHIN_MS, closed, () => undefined, machineClock);
}

/** Characters of a line. Longer ones are rare, and hold somebody else's text. */
const LONGEST = 65_536;
/** Of each text in such a line. */
const LONGEST_TEXT = 1_000;

/** The line with its texts cut, and without what still makes it too long. */
function shortened(line: string): string {
  const cut = JSON.stringify(JSON.parse(line), (_, value: unknown) =>
    typeof value === "string" && value.length > LONGEST_TEXT
      ? `${value.slice(0, LONGEST_TEXT).toWellFormed()}… (cut)`
      : value,
  );
  if (cut.length <= LONGEST) return `${cut}\n`;
  const { level, time, msg } = Line.parse(JSON.parse(cut));
  return `${JSON.stringify({ level, time, msg, cut: "the data of this line was too long" })}\n`;
}

const recentOf = new WeakMap<Logger, readonly RecentError[]>();
const MOST_RECENT = 20;

/** The newest errors of a log made here, newest first, for the report of a replica. */
export function recentErrorsOf(log: Logger): readonly RecentError[] {
  return recentOf.get(log) ?? [];
}

/** Warnings and errors: their names in the log are numbers, https://getpino.io/#/docs/api?id=logger-level */
const TROUBLE = /^\{"level":[4-6]0,/u;
const ERROR = 50;

/** Fields that only our code and the other side's protocol fill, never a person. */
const Line = z.object({
  level: z.number(),
  time: z.string(),
  msg: z.string(),
  reference: z.string().optional(),
  op: z.string().optional(),
  method: z.string().optional(),
  kind: z.string().optional(),
  slackError: z.string().optional(),
  status: z.number().optional(),
});
type Line = z.infer<typeof Line>;

function remember(recent: RecentError[], line: string): void {
  if (!TROUBLE.test(line)) return;
  const entry = Line.safeParse(JSON.parse(line)).data;
  if (entry === undefined || !isTrouble(entry)) return;
  const { time: at, msg, reference, op, method, kind, slackError, status } = entry;
  const details = [op ?? method, slackError ?? kind, status].filter((each) => each !== undefined).join(", ");
  recent.unshift({ at, says: details === "" ? msg : `${msg} (${details})`, ...defined({ reference }) });
  recent.length = Math.min(recent.length, MOST_RECENT);
}

/** A request that the workload API refuses, such as an unknown name, is the person's mistake and no trouble of ours. */
function isTrouble({ level, reference, kind, status = 500 }: Line): boolean {
  if (level >= ERROR) return true;
  const isMistake = kind === "refused" && status < 500 && status !== 401 && status !== 429;
  return reference !== undefined && !isMistake;
}

/** Slack's tokens (https://docs.slack.dev/authentication/tokens), addresses that can post, and headers with a token. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\bx(?:ox[a-z]|app)-[\w-]+/gu, REDACTED],
  [/("(?:response_?url|upload_?url)":")[^"]*/giu, `$1${REDACTED}`],
  [/https?:\/\/hooks\.slack\.com\/[^\s"\\]+/gu, REDACTED],
  [/("(?:[a-z_]*token|[a-z_]*secret|password|authorization)":")[^"]+/giu, `$1${REDACTED}`],
  [/\b(authorization: ?(?:token|bearer|basic) )[^\s"\\]+/giu, `$1${REDACTED}`],
];

const levels: Readonly<Record<number, readonly [name: string, colour: number]>> = {
  10: ["TRACE", 90],
  20: ["DEBUG", 90],
  30: ["INFO", 32],
  40: ["WARN", 33],
  50: ["ERROR", 31],
  60: ["FATAL", 35],
};

/**
 * A line of the log for a terminal: time, level, message, then the data, and below it the stack of an error. Text from
 * outside can't move the cursor: control characters stay escaped. A line that isn't a JSON object stays as it is.
 */
export function prettyLine(line: string, isColoured: boolean): string {
  const entry = objectIn(line);
  if (entry === undefined) return line;
  const { level, time, msg, err, ...data } = entry;
  const [name, colour] = levels[Number(level)] ?? ["?", 0];
  const paint = (code: number, text: string): string => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
  const clock = /T(\d\d:\d\d:\d\d\.\d{3})Z$/u.exec(String(time))?.[1] ?? String(time);
  const fields = Object.entries(data).map(([key, value]) => `${paint(90, `${escaped(key)}=`)}${valueOf(value)}`);
  const words = [
    paint(90, escaped(clock)),
    paint(colour, name.padEnd(5)),
    escaped(typeof msg === "string" ? msg : ""),
    ...fields,
  ];
  return `${[words.join(" "), ...stackOf(err).map((each) => `    ${each}`)].join("\n")}\n`;
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(line);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function valueOf(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/u.test(value)) return value;
  return escaped(JSON.stringify(value) ?? "");
}

/** Of an error in the log; pino writes its type, message and stack. */
function stackOf(err: unknown): readonly string[] {
  if (typeof err !== "object" || err === null) return err === undefined ? [] : [valueOf(err)];
  const { stack, message } = { stack: undefined, message: undefined, ...err };
  const text = typeof stack === "string" ? stack : typeof message === "string" ? message : JSON.stringify(err);
  return text.split("\n").map(escaped);
}

/** Also those control characters that JSON leaves as they are. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
