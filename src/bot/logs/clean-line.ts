// This runs before redaction: a secret split by a colour code or an invisible character must still be found.

const ESC = "\u001b";
const BEL = "\u0007";

// ECMA-48 (https://ecma-international.org/publications-and-standards/standards/ecma-48/): colours and cursor moves,
// titles and links, character sets. An unterminated title is left with its ESC made visible: it would hide the line.
const escapes = new RegExp(
  [
    `(?:${ESC}\\[|\u009b)[0-9:;<=>?]*[ -/]*[@-~]`,
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}[()#][0-9A-Za-z]`,
    `${ESC}[=>78cDEHMNOZ]`,
  ].join("|"),
  "gu",
);

/** To the beginning of the line, which is written over then, or erases it. */
const backToStart = new RegExp(
  `(?:${ESC}\\[|\u009b)(?:[01]?G|[12]K|[0-3]?J|\\d{0,3}[AEF]|(?:\\d{0,3};)?\\d{0,3}[Hf])`,
  "gu",
);

// Format characters reorder or hide text (bidi overrides, zero width, tags). The joiners stay: emoji and several
// scripts need them between letters that are not ASCII.
const invisible = /(?<![^\0-\x7f])[\u200c\u200d]|(?![\u200c\u200d])[\p{Cf}\u2028\u2029\u115f\u1160\u3164]/gu;

/** The visible symbol of a control character, from Unicode's Control Pictures. */
function picture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/**
 * Makes a log record displayable: removes escape sequences, invisible characters and trailing white space, shows control
 * characters, and keeps tabs and inner line breaks. What a program wrote over stays until it is redacted: see `lastState`.
 */
export function cleanLine(record: string): string {
  return record
    .toWellFormed()
    .replaceAll(backToStart, "\r")
    .replaceAll(escapes, "")
    .replaceAll(/\r+\n/gu, "\n")
    .trimEnd()
    .replace(/^\r+/u, "")
    .replaceAll(invisible, "")
    .replaceAll(/[^\P{Cc}\t\n]/gu, picture);
}
