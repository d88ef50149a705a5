type Given = Readonly<Record<string, string | undefined>>;

const one = ["SLACK_BOT_TOKEN"];
const oauth = ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "GANTRY_URL"];
const transports = ["SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"];
const all = [...one, ...oauth, ...transports];

/** True when any of Slack's own settings is set: then nothing of Slack is simulated. */
export function isSlackReal(given: Given): boolean {
  return all.some((name) => given[name] !== undefined);
}

/** True when several workspaces may install the app, of the real Slack or the simulated one. */
export function isOAuth(given: Given): boolean {
  if (!isSlackReal(given)) return given["PLAYGROUND_WORKSPACES"] === "several";
  return given["SLACK_BOT_TOKEN"] === undefined && oauth.some((name) => given[name] !== undefined);
}

/** Settings of Slack that are valid alone but not together, as sentences. */
export function slackProblems(given: Given, { isBotAlone = false }: { readonly isBotAlone?: boolean }): string[] {
  const isSet = (name: string): boolean => given[name] !== undefined;
  if (!isSlackReal(given) && !isBotAlone) {
    return isSet("SLACK_API_URL")
      ? ["SLACK_API_URL needs the settings of a Slack app, such as SLACK_BOT_TOKEN. Set them, or unset SLACK_API_URL."]
      : [];
  }
  const set = all.filter(isSet);
  const instead = isBotAlone || set.length === 0 ? "" : ` To use the simulated Slack, unset ${set.join(", ")}.`;
  return [...tokenProblems(isSet, instead), ...transportProblems(isSet, instead)];
}

type IsSet = (name: string) => boolean;

function tokenProblems(isSet: IsSet, instead: string): string[] {
  const some = oauth.filter(isSet);
  if (isSet("SLACK_BOT_TOKEN")) {
    return some.length === 0
      ? []
      : [`SLACK_BOT_TOKEN is for one workspace, ${some.join(", ")} for several. Unset one or the other.`];
  }
  if (some.length === 0) {
    return [
      `SLACK_BOT_TOKEN is missing. Copy it from your app's page, under OAuth & Permissions. For several workspaces set ${oauth.join(", ")} instead.${instead}`,
    ];
  }
  return oauth
    .filter((name) => !isSet(name))
    .map((name) => `${name} is missing. Several workspaces need ${oauth.join(", ")}.${instead}`);
}

function transportProblems(isSet: IsSet, instead: string): string[] {
  const some = transports.filter(isSet);
  if (some.length === 1) return [];
  return some.length === 0
    ? [
        `SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing. Set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET when Slack can reach Gantry over https.${instead}`,
      ]
    : [
        "SLACK_APP_TOKEN is for Socket Mode, SLACK_SIGNING_SECRET for requests over https. Unset the one that your app doesn't use.",
      ];
}
