import { type Facts, reportsOf, type ReplicaReport, type SlackFacts } from "../facts.ts";
import { broken, type Judged, ok, warning, aheadOrBehind, counted, ageOf, shortSpan } from "../finding.ts";

const NEW_TOKEN =
  "Copy the Bot User OAuth Token from your app's page, under OAuth & Permissions, into SLACK_BOT_TOKEN.";
const REINSTALL = "Add the scopes of manifest.yml to the app, then reinstall it under OAuth & Permissions.";
const NETWORK = "Check the network, HTTPS_PROXY and https://slack-status.com";

/** Whose line it is, where there are several workspaces. */
function of({ workspace }: SlackFacts, says: string): string {
  return workspace === undefined ? says : `${workspace}: ${says}`;
}

/** What Slack says to each bot token. */
export function botTokens({ slack, slackKind }: Pick<Facts, "slack" | "slackKind">): Judged[] {
  if (slackKind === "playground") return [ok("Simulated Slack: it needs no token")];
  if (slack.length === 0) {
    return [warning("No workspace has installed the app", "Open /slack/install at GANTRY_URL and install it.")];
  }
  return slack.map((each) => {
    const { token, workspace } = each;
    if (token.kind === "accepted") return ok(of(each, `The bot token works: @${token.bot} in ${token.team}`));
    if (token.kind === "away") return broken(of(each, `Slack didn't answer the check: ${token.why}`), NETWORK);
    if (token.kind === "sealed") {
      return broken(of(each, "The stored token can't be opened"), "Correct the keys, or install the app there again.");
    }
    const todo = workspace === undefined ? NEW_TOKEN : "Install the app there again at /slack/install.";
    return broken(of(each, `Slack rejected the bot token (${token.code})`), todo);
  });
}

export function appToken({ appToken: token }: Pick<Facts, "appToken">): Judged[] {
  if (token === undefined) return [];
  if (token.kind === "accepted") return [ok("The app-level token opens Socket Mode connections")];
  if (token.kind === "away") return [broken(`Socket Mode couldn't be tested: ${token.why}`, NETWORK)];
  const says = `Slack rejected the app-level token (${token.code})`;
  return [broken(says, appTokenAdvice[token.code] ?? NEW_APP_TOKEN)];
}

const NEW_APP_TOKEN =
  "Create an app-level token with the scope connections:write under Basic Information, and set SLACK_APP_TOKEN.";
/** https://docs.slack.dev/reference/methods/apps.connections.open#errors */
const appTokenAdvice: Readonly<Record<string, string>> = {
  not_allowed_token_type: "SLACK_APP_TOKEN takes an app-level token (xapp-…), not the bot token.",
  forbidden: "Turn on Socket Mode on your app's page.",
  socket_mode_disabled: "Turn on Socket Mode on your app's page.",
};

/** Scopes that the manifest asks for and the token lacks, with what doesn't work without each. */
export function scopes({ slack, scopes: { needed, optional } }: Pick<Facts, "slack" | "scopes">): Judged[] {
  return slack.flatMap((each): Judged[] => {
    const { scopes: granted, token } = each;
    if (token.kind !== "accepted") return [];
    if (granted === undefined) {
      return [warning(of(each, "Slack didn't say which scopes the token has"), "Run the check again.")];
    }
    const lacks = (list: readonly string[]): string[] => list.filter((scope) => !granted.includes(scope));
    const missing = [
      ...lacks(needed).map((scope) => broken(of(each, withoutIt(scope)), REINSTALL)),
      ...lacks(optional).map((scope) => warning(of(each, withoutIt(scope)), REINSTALL)),
    ];
    const all = needed.length + optional.length;
    return missing.length > 0 ? missing : [ok(of(each, `All ${all} scopes of the manifest are granted`))];
  });
}

function withoutIt(scope: string): string {
  const lost = withoutScope[scope];
  return `The scope \`${scope}\` is missing${lost === undefined ? "" : `: ${lost}`}`;
}

/** Gantry rejects signatures older than five minutes: https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SIGNATURE_MS = 5 * 60_000;
const LARGE_SKEW_MS = 30_000;

export function slackClock({ slack, transport }: Pick<Facts, "slack" | "transport">): Judged[] {
  const [aheadMs] = slack.map((each) => each.aheadMs).filter((each) => each !== undefined);
  if (aheadMs === undefined) return [];
  const skew = Math.abs(aheadMs);
  const says = `This machine's clock is ${aheadOrBehind(aheadMs)} Slack's`;
  const todo = "Synchronize this machine's clock, for example with chrony or systemd-timesyncd.";
  if (aheadMs >= SIGNATURE_MS && transport === "http") {
    return [broken(`${says}, so every request from Slack is rejected as too old`, todo)];
  }
  return [skew >= LARGE_SKEW_MS ? warning(says, todo) : ok(`This machine's clock agrees with Slack's`)];
}

/** Channels that Gantry is in, and those it is bound to without being in them. */
export function channels({ slack, boundChannels }: Facts): Judged[] {
  const inside = new Set(slack.flatMap(({ channels: known }) => (known.kind === "known" ? known.ids : [])));
  const isKnown = slack.length > 0 && slack.every(({ channels: known }) => known.kind === "known");
  if (!isKnown) return slack.flatMap(unknownChannels);
  if (inside.size === 0) {
    return [
      warning(
        "The bot is in no channel, so approval cards and threads can't be posted",
        "Type `/invite @gantry` in the channels where people work with it.",
      ),
    ];
  }
  const outside = boundChannels.filter((id) => !inside.has(id));
  if (outside.length > 0) {
    return [
      warning(
        `The bot isn't in ${counted(outside.length, "bound channel")}: ${outside.slice(0, 5).join(", ")}`,
        "Type `/invite @gantry` there, or unbind them with `/gantry use --clear`.",
      ),
    ];
  }
  return [ok(`The bot is in ${counted(inside.size, "channel")}`)];
}

function unknownChannels(each: SlackFacts): Judged[] {
  const { channels: known, token } = each;
  if (known.kind === "known" || token.kind !== "accepted") return [];
  const why = known.kind === "away" ? known.why : `Slack refused it (${known.code})`;
  const todo = known.kind === "away" ? "Run the check again." : REINSTALL;
  return [warning(of(each, `Couldn't list the bot's channels: ${why}`), todo)];
}

/** What doesn't work without a scope, as the end of a sentence. A test holds this against the manifest. */
export const withoutScope: Readonly<Record<string, string>> = {
  commands: "nobody can type the slash command or use shortcuts",
  "app_mentions:read": "mentions of the bot don't arrive",
  "im:history": "direct messages to the bot don't arrive",
  "chat:write": "approval cards and threads can't be posted, so nothing that needs approval can be requested",
  "files:write": "`logs` and `history` can't attach files",
  "users:read": "every command is refused, because nobody's membership can be checked",
  "usergroups:read": "policy rules and approvals with user groups don't work",
  "channels:read": "approvals in public channels are refused, because their members can't be checked",
  "groups:read": "approvals in private channels are refused, because their members can't be checked",
  "im:read": "approvals in direct messages are refused, because their members can't be checked",
  "mpim:read": "approvals in group messages are refused, because their members can't be checked",
};

/** A second connection covers the refresh of the first; a missing one is opened again within this time. */
const ONE_LINK_FOR_MS = 60_000;

/** The live WebSockets of each replica, and those of another Gantry. Nothing over HTTP, where Slack connects. */
export function connections(facts: Facts): Judged[] {
  const reports = reportsOf(facts).filter(({ transport }) => transport.kind === "socket");
  const own = reports.map(({ host, transport: { links }, startedAt }) => {
    if (links.length === 0) {
      return broken(`${host} has no connection to Slack`, "Check the network and HTTPS_PROXY; its log says why.");
    }
    const isYoung = facts.now.getTime() - Date.parse(startedAt) < ONE_LINK_FOR_MS;
    const says = `${host} has ${counted(links.length, "connection")} to Slack, the oldest for ${shortSpan(Math.max(...links))}`;
    return links.length > 1 || isYoung
      ? ok(says)
      : warning(`${host} has only one connection to Slack, so a refresh can delay commands`, "See its log for why.");
  });
  const others = Math.max(0, ...reports.map(({ transport }) => transport.others ?? 0));
  if (others === 0) return own;
  const says = `Another program, probably a second Gantry, has ${counted(others, "connection")} to this Slack app and gets some of the commands and clicks`;
  return [...own, warning(says, "Stop it, or give it its own Slack app.")];
}

const names = { command: "command", click: "click", event: "event" } as const;

/** When something last arrived from Slack, at any replica, and requests that were refused for their signature. */
export function deliveries(facts: Facts): Judged[] {
  const reports = reportsOf(facts);
  if (reports.length === 0) return [];
  return [...refusedSignatures(reports, facts.now), ...lastArrivals(facts, reports)];
}

const RECENT_MS = 60 * 60_000;

function refusedSignatures(reports: readonly ReplicaReport[], now: Date): Judged[] {
  const count = reports.reduce((sum, { refused }) => sum + refused.count, 0);
  const last = newest(reports.map(({ refused }) => refused.last));
  if (last === undefined) return [];
  const hasArrived = reports.some(({ arrived }) => newest(Object.values(arrived)) !== undefined);
  // Anybody on the internet can send such a request, so while signed ones arrive, old ones are no news.
  if (hasArrived && now.getTime() - Date.parse(last) >= RECENT_MS) return [];
  const says = `${counted(count, "request")} with a wrong signature since the start, the last ${ageOf(last, now)} ago`;
  const todo = "Copy the Signing Secret from Basic Information on your app's page into SLACK_SIGNING_SECRET.";
  return [hasArrived ? warning(says, todo) : broken(says, todo)];
}

function lastArrivals(facts: Facts, reports: readonly ReplicaReport[]): Judged[] {
  const { now } = facts;
  const last = {
    command: newest(reports.map(({ arrived }) => arrived.command)),
    click: newest(reports.map(({ arrived }) => arrived.click)),
    event: newest(reports.map(({ arrived }) => arrived.event)),
  };
  const since = ageOf(reports.map(({ startedAt }) => startedAt).toSorted()[0] ?? now.toISOString(), now);
  if (newest(Object.values(last)) === undefined) {
    return [warning(`Nothing has arrived from Slack in the ${since} since the start`, setUp(facts))];
  }
  const kinds = (["command", "click", "event"] as const).flatMap((kind) => {
    const at = last[kind];
    return at === undefined ? [] : [`${names[kind]} ${ageOf(at, now)} ago`];
  });
  return [ok(`Last from Slack: ${kinds.join(", ")}`)];
}

function setUp({ transport, slackKind }: Facts): string {
  if (slackKind === "playground") return "Type `/gantry help` on the page of the simulated Slack.";
  return transport === "socket"
    ? "Type `/gantry help` in Slack. If nothing happens, check that Socket Mode is on in the app's settings."
    : "Type `/gantry help` in Slack. If it fails, check the Request URLs in the app's settings.";
}

function newest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}
