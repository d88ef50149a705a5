import { type DestinationStream, type Logger, pino } from "pino";

export type LogOptions = {
  readonly level: string;
  /** Tokens and secrets of the configuration, removed wherever they appear. */
  readonly secrets: readonly string[];
  /** Default: standard output. */
  readonly to?: DestinationStream;
};

const REDACTED = "[redacted]";

/**
 * JSON lines. Secrets are removed from the finished line, whether they came in a field, an error's message or its stack.
 */
export function createLog({ level, secrets, to }: LogOptions): Logger {
  const known = secrets.filter((secret) => secret.length >= 8).flatMap((secret) => [secret, inJson(secret)]);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: (line: string) => withoutSecrets(line, known) },
  };
  return to === undefined ? pino(options) : pino(options, to);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** Slack's tokens (https://docs.slack.dev/authentication/tokens), addresses that can post, and headers with a token. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\bx(?:ox[a-z]|app)-[\w-]+/gu, REDACTED],
  [/("(?:response_?url|upload_?url)":")[^"]*/giu, `$1${REDACTED}`],
  [/https?:\/\/hooks\.slack\.com\/[^\s"\\]+/gu, REDACTED],
  [/("(?:[a-z_]*token|[a-z_]*secret|password|authorization)":")[^"]+/giu, `$1${REDACTED}`],
  [/\b(authorization: ?(?:token|bearer|basic) )[^\s"\\]+/giu, `$1${REDACTED}`],
];

function withoutSecrets(line: string, known: readonly string[]): string {
  let clean = line;
  for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
  for (const [pattern, replacement] of patterns) clean = clean.replaceAll(pattern, replacement);
  return clean;
}
