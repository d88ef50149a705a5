import { pino } from "pino";
import { createSealer, type Sealer } from "../../accounts/seal.ts";
import type { Facts, SlackFacts, StoredInstallation } from "../../health/facts.ts";
import type { Network } from "../../../platform/http/network.ts";
import { askForConnection, askSlack } from "../../slack/directory/ask-slack.ts";
import { openTokens } from "../../slack/install/tokens.ts";
import type { SlackAccess } from "../../slack/send/clients.ts";
import type { Looked } from "../../store/database/inspect.ts";
import type { Config } from "../config.ts";
import { configuredKeyring } from "./doctor-keys.ts";

type Asking = { readonly config: Config; readonly network: Network; readonly nowMs: () => number };

/** Without a log: what fails is a line of its own. */
const silent = pino({ level: "silent" });
/** More would take long, and Slack limits calls. */
const MOST = 20;

/** What Slack says about each workspace's token. */
export async function askWorkspaces(asking: Asking, looked: Looked | undefined): Promise<readonly SlackFacts[]> {
  const { config, nowMs } = asking;
  const { slack } = config;
  if (slack.kind === "playground") return [];
  const ask = (access: SlackAccess, workspace: string | undefined): Promise<SlackFacts> =>
    askSlack({ access, workspace, nowMs, log: silent });
  if (slack.tokens.kind === "one") return [await ask(accessOf(asking, slack.tokens.botToken), undefined)];
  const keyring = configuredKeyring(config);
  const installed = looked?.inspection.installations.slice(0, MOST) ?? [];
  if ("problem" in keyring) return installed.map(({ name }) => unopened(name));
  const sealer = createSealer(keyring.keys);
  return Promise.all(
    installed.map(async (each) => {
      const token = tokenOf(sealer, each);
      if (token === undefined) return unopened(each.name);
      const { teamId } = each;
      return ask({ ...accessOf(asking, token), ...(teamId !== undefined && { teamId }) }, each.name);
    }),
  );
}

/** Undefined over HTTP, and in the playground. */
export async function askApp({ config, network }: Omit<Asking, "nowMs">): Promise<Facts["appToken"]> {
  const { slack } = config;
  if (slack.kind === "playground" || slack.transport.kind === "http") return undefined;
  return askForConnection(accessOf({ config, network }, ""), slack.transport.appToken, silent);
}

function accessOf({ config, network }: Omit<Asking, "nowMs">, botToken: string): SlackAccess {
  const apiUrl = config.slack.kind === "real" ? config.slack.apiUrl : undefined;
  return { botToken, network, ...(apiUrl !== undefined && { apiUrl }) };
}

function tokenOf(sealer: Sealer, installation: StoredInstallation): string | undefined {
  try {
    return openTokens(sealer, installation).botToken;
  } catch {
    return undefined;
  }
}

function unopened(workspace: string): SlackFacts {
  const channels = { kind: "away", why: "the token can't be opened" } as const; // a literal kind
  return { workspace, token: { kind: "sealed" }, scopes: undefined, aheadMs: undefined, channels, groups: undefined };
}
