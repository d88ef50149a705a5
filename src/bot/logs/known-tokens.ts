/** Replaces a secret. No rule matches it, so redacting twice changes nothing. */
export const REDACTED = "[redacted]";

/** A token by its shape: how it begins, and what follows. Both are sources of regular expressions. */
type Shape = readonly [begins: string, rest: string];

// Every pattern starts at a literal or the start of a word and has no nested repetition, so one pass is linear.
// The shapes come from the issuers' documentation; see also https://docs.github.com/en/code-security/secret-scanning.
const shapes: readonly Shape[] = [
  ["(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)", "[A-Z0-9]{16}(?![A-Za-z0-9])"], // AWS key ids
  ["gh[opsur]_", "[A-Za-z0-9_]{16,}"], // GitHub
  ["github_pat_", "[A-Za-z0-9_]{16,}"],
  ["glpat-", String.raw`[\w-]{16,}`], // GitLab
  ["xox[a-z]", String.raw`(?:\.xox[a-z])?-[A-Za-z0-9-]{8,}`], // Slack
  ["xapp-", "[A-Za-z0-9-]{8,}"],
  ["npm_", "[A-Za-z0-9]{20,}"],
  ["pypi-", String.raw`[\w-]{16,}`],
  ["(?:[srp]k_(?:live|test)|whsec)_", "[A-Za-z0-9]{8,}"], // Stripe
  ["AIza", String.raw`[\w-]{30,}`], // Google
  [String.raw`(?:ya29\.|GOCSPX-)`, String.raw`[\w-]{16,}`],
  ["sk-", String.raw`[\w-]{20,}`], // OpenAI and others
  [String.raw`SG\.`, String.raw`[\w-]{16,}\.[\w-]{16,}`], // SendGrid
  [String.raw`hv[sbr]\.`, String.raw`[\w-]{16,}`], // Vault
  ["(?:hf|dop_v1|doo_v1|shpat|shpss|rubygems|lin_api|tfp)_", "[A-Za-z0-9]{16,}"],
  ["AGE-SECRET-KEY-1", "[A-Z0-9]{16,}"],
];
/** Those above, each at the start of a word. */
const tokens = shapes.map(([begins, rest]) => new RegExp(`(?<![A-Za-z0-9])${begins}${rest}`, "gu"));
/** Slack's webhooks, and JSON Web Tokens (RFC 7519). */
const webhook = /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,}/gu;
const jsonWebToken = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/gu;

/** A line without any of these has none of the tokens. Most lines have none, and looking for each takes 18 times as long. */
const beginning = new RegExp([...shapes.map(([begins]) => begins), String.raw`hooks\.slack`, "eyJ"].join("|"), "u");

// RFC 3986 §3.2.1: from the user's colon to the last `@`; a password may contain an unencoded `/` or `@`.
// A port is not a password. The bound keeps it linear.
const userInfo = /(:\/\/[^\s:@/"'<>]{0,256}:)(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{1,256}@/gu;

/** `curl -u user:password`; digits alone are user and group ids. */
const userOption = /(?<![\w-])((?:-u|--user)[ \t=]{1,2}["']?[^\s:"']{1,64}:)(?!\d{1,7}(?:\s|$))[^\s"']+/gu;

/** `mysql -psecret`: attached to its option. A number alone is a port. */
const gluedOption =
  /(?<![\w-])((?:(?:mysql|mariadb)\w*|sshpass|7za?)(?=[\s"'])[^;&|]{0,256}?[ \t"',]-p|-u[ \t]?[\w.-]{1,64}["',]{0,3}[ \t]{1,4}["']?-p)(?!\d{1,5}(?:[:\s"',]|$))[^\s"',]+/gu;

/** `docker login -p secret`, also attached or in a list. Every number may be a password here. */
const loginOption =
  /(?<![\w-])((?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|registry|oc|cf|az)["']?[ \t,]{1,4}["']?login["']?[ \t,](?:[^;&|]{0,256}?[ \t"',])?(?:-p["']?[ \t,=]{0,4}["']?|--password["']?[ \t,=]{1,4}["']?))(?![-"' \t,]|assword)[^\s"',]+/gu;
/** `sshpass -p secret`, `redis-cli -a secret`. */
const ownOption =
  /(?<![\w-])((?:sshpass["']?[ \t,]{1,4}["']?-p|redis-cli["']?[ \t,][^;&|]{0,256}?[ \t"',]-a)["']?[ \t,]{1,4}["']?)[^\s"',]+/gu;
/** `echo secret | docker login --password-stdin`. */
const pipedPassword =
  /(?<![\w-])((?:echo|printf)[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4})?)(?!["']?\$)("[^"|]{1,256}"|'[^'|]{1,256}'|[^\s|"']{1,256})(?=[ \t]{0,4}\|[^|\n]{0,256}--password-stdin)/gu;

const bearer = /(?<![\w-])((?:bearer|basic)[ \t]{1,4})([\w.~+/=-]{8,})/giu;

/** "Bearer authentication" is prose: a short word in lower case. */
function isWord(value: string): boolean {
  return /^[A-Za-z]?[a-z]{1,19}[.]?$/u.test(value);
}

/** What none of the patterns after the tokens can do without. */
const marks = /:\/\/|-u|-p|-a|bearer|basic/iu;

/** Replaces tokens that are recognisable by their shape alone. */
export function redactKnownTokens(line: string): string {
  let text = line;
  if (beginning.test(text))
    for (const token of [...tokens, webhook, jsonWebToken]) text = text.replaceAll(token, REDACTED);
  if (!marks.test(text)) return text;
  return text
    .replaceAll(userInfo, `$1${REDACTED}@`)
    .replaceAll(userOption, `$1${REDACTED}`)
    .replaceAll(gluedOption, `$1${REDACTED}`)
    .replaceAll(loginOption, `$1${REDACTED}`)
    .replaceAll(ownOption, `$1${REDACTED}`)
    .replaceAll(pipedPassword, `$1${REDACTED}`)
    .replaceAll(bearer, (whole, scheme: string, value: string) => (isWord(value) ? whole : `${scheme}${REDACTED}`));
}
