import { type LocalSlack, openLocalSlack } from "../../src/bot/compose/stand-ins/local-slack.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Person } from "../../src/playground/people/person.ts";
import type { Workspace } from "../../src/playground/playground.ts";
import { installs, newBrowser, type Page } from "./browser.ts";
import { transportOf } from "./world-bot.ts";

/** A workspace of the playground: its people, and the ids under which Slack knows it. */
export type Town = {
  readonly workspace: Workspace;
  readonly teamId: string;
  readonly developer: Person;
  /** Also the workspace's admin. */
  readonly approver: Person;
  readonly guest: Person;
};

/** The simulated Slack with several workspaces. The app is installed in none of them at first. */
export type Towns = {
  readonly slack: LocalSlack;
  /** Two workspaces that have nothing to do with each other. */
  readonly playground: Town;
  readonly harbour: Town;
  /** Two of one organization. */
  readonly east: Town;
  readonly west: Town;
  /** The id of their organization. */
  readonly orgId: string;
  /** Installs the app in a browser, as the admin of a workspace, or of an organization's by its id. */
  readonly install: (town: Town, owner?: string) => Promise<Page>;
  /** Puts the bot into a channel. */
  readonly invite: (town: Town, channel?: string) => void;
  readonly close: () => Promise<void>;
};

export type TownsOptions = {
  /** http://127.0.0.1:PORT of the bot, once it listens. */
  readonly botUrl: () => string;
  readonly command: string;
  readonly clock: Clock;
  readonly rotates?: boolean;
  /** How Slack reaches the bot. Default: http. */
  readonly transport?: "http" | "socket";
};

type Names = { readonly domain: string; readonly developer: string; readonly approver: string; readonly guest: string };

function townOf({ playground }: LocalSlack, { domain, ...names }: Names): Town {
  const workspace = playground.workspace(domain);
  return {
    workspace,
    teamId: workspace.teamId,
    developer: workspace.as(names.developer),
    approver: workspace.as(names.approver),
    guest: workspace.as(names.guest),
  };
}

/** Opens the simulated Slack; the bot is the caller's. */
export async function openTowns({
  botUrl,
  command,
  clock,
  rotates = false,
  transport = transportOf({}),
}: TownsOptions): Promise<Towns> {
  const slack = await openLocalSlack({
    host: "127.0.0.1",
    port: 0,
    command,
    transport,
    botPort: () => Number(new URL(botUrl()).port),
    oauth: { botUrl, rotates },
    clock,
  });
  return {
    slack,
    playground: townOf(slack, { domain: "playground", developer: "dana", approver: "alex", guest: "gwen" }),
    harbour: townOf(slack, { domain: "harbour", developer: "hana", approver: "hugo", guest: "gus" }),
    east: townOf(slack, { domain: "orchard-east", developer: "emma", approver: "erik", guest: "ella" }),
    west: townOf(slack, { domain: "orchard-west", developer: "will", approver: "wanda", guest: "wes" }),
    orgId: "E0ORCHARD",
    install: ({ teamId, approver }, owner = teamId) =>
      installs(newBrowser(), `${botUrl()}/slack/install`, { owner, as: approver.id }),
    invite: ({ workspace }, channel = "ops") => workspace.faults.inviteBot(channel),
    close: slack.close,
  };
}
