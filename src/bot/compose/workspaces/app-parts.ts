import type { Logger } from "pino";
import { installRoutes } from "../../slack/install/installer.ts";
import { type OAuthApp, oauthCalls } from "../../slack/install/oauth.ts";
import type { Ack } from "../../slack/receive/ack.ts";
import type { Route } from "../../slack/receive/health-routes.ts";
import { answerWithout, route } from "../../slack/receive/route.ts";
import { sourceOf } from "../../slack/receive/source-of.ts";
import type { Message } from "../../views/kit/message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Installations } from "../../workflow/access/installation.ts";
import type { Store } from "../../store/store.ts";
import type { BotParts } from "../bot.ts";
import { createInstallationCare, type InstallationCare } from "./installation-care.ts";
import { type InstalledWorkspaces, installedWorkspaces } from "./installed-workspaces.ts";
import { onlyWorkspace, type Shared, type Workspaces } from "./workspaces.ts";

/** What depends on how the app is installed. */
export type AppParts = {
  readonly workspaces: Workspaces;
  /** Of the HTTP server, beside the health checks. */
  readonly pages: readonly Route[];
  /** Takes every payload. Never rejects. */
  readonly receive: (body: unknown, ack: Ack) => Promise<void>;
};

export function appParts(parts: BotParts, shared: Shared): AppParts {
  const { slack } = parts;
  if ("oauth" in slack) return installedApp(parts, shared, slack.oauth);
  const workspaces = onlyWorkspace(parts, { ...shared, installations: ignored(parts.log) }, slack);
  return { workspaces, pages: [], receive: receiver(parts, { shared, workspaces, toStranger: undefined }) };
}

function installedApp(parts: BotParts, shared: Shared, app: OAuthApp): AppParts {
  const { store, sealer, log, settings, slack } = parts;
  const { lanes, clock, newReference } = shared;
  const { apiUrl, network } = slack;
  const calls = oauthCalls(app, { apiUrl, network, log });
  // Both need the workspaces, which need the care.
  const changed = (id: string): void => workspaces.changed(id);
  const care = createInstallationCare({ store, sealer, calls, lanes, log, now: clock.now, changed });
  const installations = removals({ store, changed }, care);
  const workspaces: InstalledWorkspaces = installedWorkspaces(parts, { ...shared, installations }, care);
  const { command } = settings;
  return {
    workspaces,
    pages: installRoutes({ app, apiUrl, network, store, changed, sealer, command, log, newReference }),
    receive: receiver(parts, {
      shared,
      workspaces,
      toStranger: sentences.notInstalled(`${app.url}/slack/install`),
    }),
  };
}

type Receiver = {
  readonly shared: Shared;
  readonly workspaces: Workspaces;
  /** For people of a workspace in which the app isn't installed, or not any more. */
  readonly toStranger: Message | undefined;
};

function receiver({ log, settings }: BotParts, { shared, workspaces, toStranger }: Receiver): AppParts["receive"] {
  const receive = async (body: unknown, ack: Ack): Promise<void> => {
    const workspace = await workspaces.find(sourceOf(body));
    return workspace === undefined ? answerWithout(toStranger, body, ack) : route(workspace.deps, body, ack);
  };
  return async (body, ack) => {
    try {
      // A stop waits for it: otherwise a command could be acked and lost.
      await shared.lanes.track(receive(body, ack));
    } catch (err) {
      const reference = shared.newReference();
      log.error({ err, reference }, "couldn't find the workspace of an interaction");
      await answerWithout(sentences.notStored(reference, settings.command), body, ack);
    }
  };
}

/** With one token, the operator replaces a revoked one. Accounts and requests stay. */
function ignored(log: Logger): Installations {
  const warn = (): Promise<void> => {
    log.warn("the bot token is no longer valid; set SLACK_BOT_TOKEN to a new one");
    return Promise.resolve();
  };
  return { removed: warn, left: warn, personChanged: () => Promise.resolve() };
}

type Removing = { readonly store: Store; readonly changed: (installationId: string) => void };

function removals({ store, changed }: Removing, care: InstallationCare): Installations {
  return {
    async removed(source, at) {
      const installation = await store.findInstallation(source);
      if (installation === undefined) return;
      // Slack sends an event again for hours: it may be about an installation before this one.
      const isCertain = !installation.isOrgWide && at > installation.installedAt;
      await (isCertain ? care.end(installation) : care.doubt(installation));
      care.begin();
    },
    async left(teamIds) {
      for (const teamId of teamIds) {
        const installation = await store.installationOf(teamId);
        if (installation?.isOrgWide !== true) continue;
        await store.closeWorkspace({ teamId, by: { userId: installation.botUserId, name: "Gantry" } });
        changed(teamId);
      }
    },
    personChanged: (teamId, userId) => store.forgetElsewhere(teamId, userId),
  };
}
