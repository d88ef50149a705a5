import { REDACTED } from "./redacted.ts";

// Every pattern starts at a literal or the start of a word and has no nested repetition, so one pass is linear.
// The shapes come from the issuers' documentation; see also https://docs.github.com/en/code-security/secret-scanning.
const shapes: readonly RegExp[] = [
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])/gu, // AWS key ids
  /(?<![A-Za-z0-9])gh[opsur]_[A-Za-z0-9_]{16,}/gu, // GitHub
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{16,}/gu,
  /(?<![A-Za-z0-9])glpat-[\w-]{16,}/gu, // GitLab
  /(?<![A-Za-z0-9])xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}/gu, // Slack
  /(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]{8,}/gu,
  /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,}/gu,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{20,}/gu,
  /(?<![A-Za-z0-9])pypi-[\w-]{16,}/gu,
  /(?<![A-Za-z0-9])(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9]{8,}/gu, // Stripe
  /(?<![A-Za-z0-9])AIza[\w-]{30,}/gu, // Google
  /(?<![A-Za-z0-9])(?:ya29\.|GOCSPX-)[\w-]{16,}/gu,
  /(?<![A-Za-z0-9])sk-[\w-]{20,}/gu, // OpenAI and others
  /(?<![A-Za-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}/gu, // SendGrid
  /(?<![A-Za-z0-9])hv[sbr]\.[\w-]{16,}/gu, // Vault
  /(?<![A-Za-z0-9])(?:hf|dop_v1|doo_v1|shpat|shpss|rubygems|lin_api|tfp)_[A-Za-z0-9]{16,}/gu,
  /(?<![A-Za-z0-9])AGE-SECRET-KEY-1[A-Z0-9]{16,}/gu,
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/gu, // JSON Web Tokens, RFC 7519
];

// RFC 3986 §3.2.1: from the user's colon to the last `@`; a password may contain an unencoded `/` or `@`.
// A port is not a password. The bound keeps it linear.
const userInfo = /(:\/\/[^\s:@/"'<>]{0,256}:)(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{1,256}@/gu;

/** `curl -u user:password`; digits alone are user and group ids. */
const userOption = /(?<![\w-])((?:-u|--user)[ \t=]{1,2}["']?[^\s:"']{1,64}:)(?!\d{1,7}(?:\s|$))[^\s"']+/gu;

/** `mysql -psecret`: attached to its option. A number alone is a port. */
const gluedOption =
  /(?<![\w-])((?:(?:mysql|mariadb)\w*|sshpass|7za?)(?=[\s"'])[^;&|]{0,256}?[ \t"',]-p|-u[ \t]?[\w.-]{1,64}["',]{0,3}[ \t]{1,4}["']?-p)(?!\d{1,5}(?:[:\s"',]|$))[^\s"',]+/gu;

const bearer = /(?<![\w-])((?:bearer|basic)[ \t]{1,4})([\w.~+/=-]{8,})/giu;

/** "Bearer authentication" is prose: a short word in lower case. */
function isWord(value: string): boolean {
  return /^[A-Za-z]?[a-z]{1,19}[.]?$/u.test(value);
}

/** Replaces tokens that are recognisable by their shape alone. */
export function redactKnownTokens(line: string): string {
  let text = line;
  for (const shape of shapes) text = text.replaceAll(shape, REDACTED);
  return text
    .replaceAll(userInfo, `$1${REDACTED}@`)
    .replaceAll(userOption, `$1${REDACTED}`)
    .replaceAll(gluedOption, `$1${REDACTED}`)
    .replaceAll(bearer, (whole, scheme: string, value: string) => (isWord(value) ? whole : `${scheme}${REDACTED}`));
}
