import { redactKnownTokens } from "./known-tokens.ts";
import { redactPrivateKeys } from "./private-keys.ts";
import { redactRandomStrings } from "./random-strings.ts";
import { redactSecretPairs } from "./secret-pairs.ts";
import { valueRedactor } from "./secret-values.ts";

function pass(line: string): string {
  return redactRandomStrings(redactSecretPairs(redactKnownTokens(line)));
}

/** What one pass shortens may stand in another light then: passes follow until nothing changes, for most lines one. */
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
 * Replaces what looks like a secret by `[redacted]` and keeps its name. The lines are of one writer, in order: a private
 * key may be spread over several of them. Time is linear in the text, and redacting twice changes nothing. It errs on
 * the side of redacting; what has neither shape, name nor randomness (a short password in prose) is not found, unless it
 * is among `secrets`: values that are known to be secret.
 */
export function redactLines(lines: readonly string[], secrets: readonly string[] = []): string[] {
  const values = valueRedactor(secrets);
  // A record may hold several lines; keys run over both kinds of border.
  const counts = lines.map((line) => line.split("\n").length);
  // Known values first, while they are whole. Values that are themselves a keyword ("password") last, because patterns
  // need the keyword.
  const flat = redactPrivateKeys(lines.flatMap((line) => line.split("\n").map(values.before)))
    .map(redactLine)
    .map(values.after);
  return counts.map((count) => flat.splice(0, count).join("\n"));
}

/** `redactLines` for a text that stands alone. */
export function redact(line: string): string {
  return redactLines([line]).join("\n");
}
