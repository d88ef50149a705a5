import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { createPeople, type People } from "../people/people.ts";
import { installOf, type World } from "../world.ts";
import { revokeTokens, setAccess, uninstallApp } from "../installs/install.ts";
import type { Install } from "../installs/installs.ts";

const Membership = { channel: z.string(), user: z.string() };
const InGroup = { group: z.string(), person: z.string() };

const Change = z.discriminatedUnion("do", [
  z.object({ do: z.literal("deactivate"), person: z.string(), signsOut: z.boolean().default(true) }),
  z.object({ do: z.literal("reactivate"), person: z.string() }),
  z.object({ do: z.literal("setAdmin"), person: z.string(), isAdmin: z.boolean() }),
  z.object({ do: z.literal("setGuest"), person: z.string(), isGuest: z.boolean() }),
  z.object({ do: z.literal("joinGroup"), ...InGroup }),
  z.object({ do: z.literal("leaveGroup"), ...InGroup }),
  z.object({ do: z.literal("invite"), ...Membership }),
  z.object({ do: z.literal("remove"), ...Membership }),
  z.object({
    do: z.literal("addOutsider"),
    id: z
      .string()
      .regex(/^[UW][A-Z0-9]+$/u)
      .optional(),
    name: z.string().regex(/^[a-z0-9._-]{1,21}$/u),
    realName: z.string().min(1).max(50),
    channel: z.string(),
  }),
  z.object({ do: z.literal("archive"), channel: z.string() }),
  z.object({ do: z.literal("unarchive"), channel: z.string() }),
  z.object({ do: z.literal("rename"), channel: z.string(), name: z.string().regex(/^[a-z0-9_-]{1,80}$/u) }),
  z.object({ do: z.literal("setPrivate"), channel: z.string(), isPrivate: z.boolean() }),
  z.object({ do: z.literal("removeMessage"), channel: z.string(), ts: z.string() }),
]);
type Change = z.infer<typeof Change>;

function changePerson(people: People, change: Change): void {
  switch (change.do) {
    case "deactivate":
      return people.deactivate(change.person, { signsOut: change.signsOut });
    case "reactivate":
      return people.reactivate(change.person);
    case "setAdmin":
      return people.setAdmin(change.person, change.isAdmin);
    case "setGuest":
      return people.setGuest(change.person, change.isGuest);
    case "joinGroup":
      return people.joinGroup(change.group, change.person);
    case "leaveGroup":
      return people.leaveGroup(change.group, change.person);
    case "addOutsider":
      return void people.addOutsider(change);
    default:
      return changeChannel(people, change);
  }
}

type InChannel = Extract<Change, { readonly channel: string }>;
type ChannelChange = Exclude<InChannel, { readonly do: "addOutsider" }>;

function changeChannel(people: People, change: ChannelChange): void {
  switch (change.do) {
    case "invite":
      return people.invite(change.channel, change.user);
    case "remove":
      return people.remove(change.channel, change.user);
    case "archive":
      return people.archive(change.channel);
    case "unarchive":
      return people.unarchive(change.channel);
    case "rename":
      return people.rename(change.channel, change.name);
    case "setPrivate":
      return people.setPrivate(change.channel, change.isPrivate);
    case "removeMessage":
      return people.removeMessage(change.channel, change.ts);
  }
}

/**
 * Changes users, groups or channels, for example `{do: "deactivate", person: "alex"}`. Rejects with a sentence for the
 * page.
 */
export async function changeWorkspace(world: World, body: unknown): Promise<JsonObject> {
  changePerson(createPeople(world), Change.parse(body));
  return {};
}

const InstallChange = z.object({ do: z.enum(["uninstall", "revokeTokens", "addTo", "removeFrom"]) });

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
  const { do: what } = InstallChange.parse(body);
  if (what === "uninstall") await uninstallApp(slack, installHere(world));
  else if (what === "revokeTokens") await revokeTokens(slack, installHere(world));
  else await setAccess(slack, installOfOrg(world), { world, isGranted: what === "addTo" });
  return {};
}
