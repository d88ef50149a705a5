import { redactKnownTokens } from "./known-tokens.ts";
import { redactPrivateKeys } from "./private-keys.ts";
import { redactRandomStrings } from "./random-strings.ts";
import { redactSecretPairs } from "./secret-pairs.ts";
import { valueRedactor } from "./secret-values.ts";

function pass(line: string): string {
  return redactRandomStrings(redactSecretPairs(redactKnownTokens(line)));
}

/** A replacement can expose another match, so passes repeat until nothing changes. Most lines need one. */
function redactLine(line: string): string {
  let text = line;
  for (let passes = 0; passes < 8; passes += 1) {
    const next = pass(text);
    if (next === text) return text;
    text = next;
  }
  return text;
}

/**
 * Replaces likely secrets with `[redacted]` and keeps their names. The lines must come from one writer, in order, because
 * a private key can span several. Linear in the text; redacting twice changes nothing. When in doubt, it redacts. A
 * secret without a known shape, a name or randomness (a short password in prose) is only found if it is in `secrets`.
 */
export function redactLines(lines: readonly string[], secrets: readonly string[] = []): string[] {
  const values = valueRedactor(secrets);
  // A record can have several lines, and a key can span records.
  const counts = lines.map((line) => line.split("\n").length);
  // Known values first, while they are complete. Values that are keywords themselves ("password") last, because patterns
  // need the keyword.
  const flat = redactPrivateKeys(lines.flatMap((line) => line.split("\n").map(values.before)))
    .map(redactLine)
    .map(values.after);
  let from = 0;
  return counts.map((count) => flat.slice(from, (from += count)).join("\n"));
}

/** `redactLines` for a single text. */
export function redact(line: string): string {
  return redactLines([line]).join("\n");
}
