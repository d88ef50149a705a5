import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { appToken, botTokens, scopes, slackClock } from "../../health/checks/slack-checks.ts";
import type { Judged } from "../../health/finding.ts";
import type { Network } from "../../../platform/http/network.ts";
import { askForConnection, askSlack } from "../../slack/directory/ask-slack.ts";
import { manifestScopes, appsUrlFor, manifestFor, type ManifestTarget } from "../manifest.ts";
import { checkedAnswer, askFor, askWhich, type Known } from "./asker.ts";
import { type EnvChanges, writeEnvFile } from "./env-file.ts";
import { machineClock } from "../../../platform/clock.ts";

export type SlackSteps = Known & {
  /** As they were typed. */
  readonly options: Readonly<Record<"transport" | "workspaces" | "url", string | undefined>> & {
    readonly skipsChecks: boolean;
  };
  /** Where the app's manifest is written, for somebody to paste; undefined in a container, whose files nobody opens. */
  readonly manifestFile: string | undefined;
  readonly network: Network;
  readonly log: Logger;
};

type Kind = { readonly transport: "socket" | "http"; readonly workspaces: "one" | "many" };

/** How Slack and Gantry reach one another, the app, and its tokens. */
export async function slackSteps(steps: SlackSteps): Promise<EnvChanges> {
  const kind = { transport: await transportOf(steps), workspaces: await workspacesOf(steps) };
  const command = valueOf(steps, "GANTRY_COMMAND");
  const common = { GANTRY_COMMAND: command, SLACK_API_URL: valueOf(steps, "SLACK_API_URL") };
  const installUrl = kind.workspaces === "many" ? await askFor(steps, "GANTRY_URL") : undefined;
  await showApp(steps, { ...kind, command: command ?? "/gantry", installUrl });
  const tokens = kind.workspaces === "one" ? await oneWorkspace(steps) : await manyWorkspaces(steps, installUrl);
  return { ...common, ...tokens, ...(await transportSecrets(steps, kind.transport)) };
}

function valueOf({ given, set }: Known, name: string): string | undefined {
  return given[name] ?? set[name];
}

function transportOf(steps: SlackSteps): Promise<Kind["transport"]> {
  const { asker, options, given, set } = steps;
  const by = (from: EnvChanges): Kind["transport"] | undefined => {
    if (from["SLACK_APP_TOKEN"] !== undefined) return "socket";
    return from["SLACK_SIGNING_SECRET"] === undefined ? undefined : "http";
  };
  return askWhich(asker, options.transport ?? by(given), {
    flag: "transport",
    message: "How do Slack and Gantry connect?",
    current: by(set),
    options: [
      { value: "socket", label: "Socket Mode", hint: "Gantry connects to Slack and needs no public address" },
      { value: "http", label: "HTTP", hint: "Slack calls a public https address of yours" },
    ],
  });
}

function workspacesOf({ asker, options, given, set }: SlackSteps): Promise<Kind["workspaces"]> {
  const isMany = given["SLACK_CLIENT_ID"] !== undefined || set["SLACK_CLIENT_ID"] !== undefined;
  return askWhich(asker, options.workspaces, {
    flag: "workspaces",
    message: "Who uses this Gantry?",
    current: isMany && given["SLACK_BOT_TOKEN"] === undefined ? "many" : "one",
    options: [
      { value: "one", label: "One workspace" },
      { value: "many", label: "Several workspaces", hint: "each installs the app at a public https address of yours" },
    ],
  });
}

type App = Kind & { readonly command: string; readonly installUrl: string | undefined };

/** Writes the manifest to a file, and says where to paste it. */
async function showApp(steps: SlackSteps, app: App): Promise<void> {
  const { asker, options, manifestFile } = steps;
  if (!asker.isInteractive) return;
  const hasTokens = ["SLACK_BOT_TOKEN", "SLACK_CLIENT_ID"].some((name) => valueOf(steps, name) !== undefined);
  const which = await asker.choose({
    flag: "yes",
    message: "Is there a Slack app for this Gantry already?",
    current: hasTokens ? "ready" : "new",
    options: [
      { value: "new", label: "No, create one" },
      { value: "ready", label: "Yes, go on to its tokens" },
      { value: "update", label: "Yes, update its manifest" },
    ],
  });
  if (which === "ready") return;
  const url = app.transport === "http" ? (options.url ?? (await publicUrl(steps))) : undefined;
  const target = { url, command: app.command, installUrl: app.installUrl };
  const text = readFileSync(new URL("../../../../manifest.yml", import.meta.url), "utf8");
  const manifest = manifestFor(text, target);
  if (manifestFile !== undefined) writeEnvFile(manifestFile, manifest);
  const place = manifestFile ?? `what this prints: docker run --rm gantry manifest ${wordsFor(target)}`;
  const appsUrl = appsUrlFor(valueOf(steps, "SLACK_API_URL"));
  asker.show.step(
    which === "update"
      ? `Open ${appsUrl} → your app → App Manifest, replace the manifest, then reinstall the app. Paste ${place}`
      : threeSteps(app, { appsUrl, place }),
  );
}

function publicUrl({ asker }: SlackSteps): Promise<string> {
  return asker.text({
    flag: "url",
    message: "The public https address that forwards to Gantry",
    current: undefined,
    problem: (value) => (/^https:\/\/[^/\s]/u.test(value) ? undefined : "Slack calls https addresses only."),
  });
}

/** The options of `gantry manifest`. */
function wordsFor({ url, command, installUrl }: ManifestTarget): string {
  const way = url === undefined ? ["--socket"] : ["--url", url];
  const name = command === "/gantry" ? [] : ["--command", command];
  const install = installUrl === undefined ? [] : ["--install-url", installUrl];
  return [...way, ...name, ...install].join(" ");
}

type Places = { readonly appsUrl: string; readonly place: string };

function threeSteps({ transport, workspaces }: Kind, { appsUrl, place }: Places): string {
  return [
    `1. Open ${appsUrl}?new_app=1, choose From a manifest and your workspace, and paste ${place}`,
    ...(workspaces === "one"
      ? [
          "2. Under Install App, install it. The bot token is then under OAuth & Permissions.",
          "   Where an admin has to consent, Slack sends them a request: continue here when they have approved it.",
        ]
      : [
          "2. Under Manage Distribution, activate public distribution. The client id and secret are under Basic Information.",
          "   Each workspace's admins may have to consent when it installs the app.",
        ]),
    transport === "socket"
      ? "3. Under Basic Information → App-Level Tokens, generate a token with the scope connections:write."
      : "3. The signing secret is under Basic Information.",
  ].join("\n");
}

async function oneWorkspace(steps: SlackSteps): Promise<EnvChanges> {
  const { asker, options } = steps;
  const botToken = await checkedAnswer({
    asker,
    what: "the bot token",
    skipsChecks: options.skipsChecks,
    ask: (isAgain) => askFor(isAgain ? anew(steps) : steps, "SLACK_BOT_TOKEN"),
    check: (token) => checkBotToken(steps, token),
  });
  const others = { SLACK_CLIENT_ID: undefined, SLACK_CLIENT_SECRET: undefined, GANTRY_URL: undefined };
  return { SLACK_BOT_TOKEN: botToken, ...others };
}

/** A wrong answer isn't suggested again. */
function anew({ asker }: Known): Known {
  return { asker, given: {}, set: {} };
}

async function checkBotToken(steps: SlackSteps, botToken: string): Promise<readonly Judged[]> {
  const { network, log } = steps;
  const apiUrl = valueOf(steps, "SLACK_API_URL");
  const access = { botToken, network, ...(apiUrl !== undefined && { apiUrl }) };
  const facts = await askSlack({ access, workspace: undefined, nowMs: () => machineClock.now().getTime(), log });
  const slack = [facts];
  return [
    ...botTokens({ slack, slackKind: "one" }),
    ...scopes({ slack, scopes: manifestScopes() }),
    ...slackClock({ slack, transport: "socket" }).filter(({ state }) => state !== "ok"),
  ];
}

async function manyWorkspaces(steps: SlackSteps, installUrl: string | undefined): Promise<EnvChanges> {
  return {
    SLACK_CLIENT_ID: await askFor(steps, "SLACK_CLIENT_ID"),
    SLACK_CLIENT_SECRET: await askFor(steps, "SLACK_CLIENT_SECRET"),
    GANTRY_URL: installUrl,
    SLACK_BOT_TOKEN: undefined,
  };
}

async function transportSecrets(steps: SlackSteps, transport: Kind["transport"]): Promise<EnvChanges> {
  if (transport === "http") {
    return { SLACK_SIGNING_SECRET: await askFor(steps, "SLACK_SIGNING_SECRET"), SLACK_APP_TOKEN: undefined };
  }
  const { asker, options, network, log } = steps;
  const apiUrl = valueOf(steps, "SLACK_API_URL");
  const token = await checkedAnswer({
    asker,
    what: "the app-level token",
    skipsChecks: options.skipsChecks,
    ask: (isAgain) => askFor(isAgain ? anew(steps) : steps, "SLACK_APP_TOKEN"),
    async check(given) {
      const way = { network, ...(apiUrl !== undefined && { apiUrl }) };
      return appToken({ appToken: await askForConnection({ ...way, botToken: "" }, given, log) });
    },
  });
  return { SLACK_APP_TOKEN: token, SLACK_SIGNING_SECRET: undefined };
}
