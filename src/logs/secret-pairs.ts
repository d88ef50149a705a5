import { REDACTED } from "./redacted.ts";
import { readSecret } from "./secret-value.ts";

// `name=secret`, `name: secret`, `"name": "secret"`, `--name secret`, `<name>secret</name>`. The name may have more words
// around the telling one (`DB_PASSWORD`, `secretAccessKey`, `x-api-key`). Every repetition is bounded: linear.
const NAME =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|token(?!iz)|credential|(?:api|access|account|private|signing|encryption|auth|shared|master)[_-]?key|session[_-]?id|connection[_-]?string|signature|authorization|cookie|(?<=[_-])pass|\bpass(?==)|\bpgpass|(?<=[_-])(?:pw|pat|seed)(?![a-z])|basic[_-]auth|\bx-auth(?![a-z])|(?<![\w-])sig(?==))[\w.-]{0,40}/giu;

const SEPARATOR = /[\\"'`\]]{0,4}[ \t]{0,4}(?:=>|:=|={1,2}|:(?!:))[ \t]{0,4}/uy;

/** What separates the name that ends at `end` from its value; undefined when it is only a word in a sentence. */
function valueStart(line: string, start: number, end: number): number | undefined {
  SEPARATOR.lastIndex = end;
  if (SEPARATOR.test(line)) return SEPARATOR.lastIndex;
  const head = /[\w.<-]{1,60}$/u.exec(line.slice(Math.max(0, start - 60), start + 1))?.[0] ?? "";
  if (line[end] === ">" && head.includes("<")) return end + 1;
  return head.startsWith("--") && /[ \t]/u.test(line[end] ?? "") ? end + 1 : undefined;
}

/** Error names and places in source files end in a colon too, and are what a log is read for. */
function isNoSecret(name: string, value: string): boolean {
  if (/(?:error|exception|warning|fail(?:ed|ure)|expired|invalid|missing)$/iu.test(name)) return true;
  if (name.includes(".") && /^\d{1,6}(?:$|[:),])/u.test(value)) return true;
  // Counts: `total_tokens: 512`, `cookies=3`.
  return /token|cookie/iu.test(name) && /^\d{1,7}$/u.test(value);
}

/** Replaces values that stand beside a telling name. */
export function redactSecretPairs(line: string): string {
  let out = "";
  let done = 0;
  NAME.lastIndex = 0;
  for (let found = NAME.exec(line); found !== null; found = NAME.exec(line)) {
    const name = found[0];
    const start = valueStart(line, found.index, NAME.lastIndex);
    if (start === undefined) continue;
    const secret = readSecret(line, start, name);
    if (secret === undefined || isNoSecret(name, line.slice(secret.start, secret.end))) continue;
    out += line.slice(done, secret.start) + REDACTED;
    done = secret.end;
    NAME.lastIndex = secret.end;
  }
  return out + line.slice(done);
}
