import { z } from "zod";
import { revokeTokens, setAccess, uninstallApp } from "../installs/install.ts";
import type { Install } from "../installs/installs.ts";
import type { JsonObject } from "../json.ts";
import { installOf, type World } from "../world.ts";

const Change = z.object({ do: z.enum(["uninstall", "revokeTokens", "addTo", "removeFrom"]) });

function installHere(world: World): Install {
  const install = installOf(world);
  if (install === undefined) throw new Error(`${world.app.name} isn't installed in ${world.state.team.name}.`);
  return install;
}

function installOfOrg({ slack, state: { team } }: World): Install {
  const { enterprise } = team;
  if (enterprise === undefined) throw new Error(`${team.name} belongs to no organization.`);
  const install = slack.installs.all.get(enterprise.id);
  if (install === undefined) throw new Error(`${enterprise.name} hasn't installed the app for all of its workspaces.`);
  return install;
}

/** What an admin does with the app in their workspace. Resolves when the bot has heard of it. */
export async function changeInstall(world: World, body: unknown): Promise<JsonObject> {
  const { slack } = world;
  const { do: what } = Change.parse(body);
  if (what === "uninstall") await uninstallApp(slack, installHere(world));
  else if (what === "revokeTokens") await revokeTokens(slack, installHere(world));
  else await setAccess(slack, installOfOrg(world), { world, isGranted: what === "addTo" });
  return {};
}
