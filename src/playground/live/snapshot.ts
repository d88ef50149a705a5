import type { Channel, State, User, View } from "../workspace/state.ts";
import { bot, directId, isOutsider, peopleOf } from "../workspace/workspace.ts";
import type { World } from "../world.ts";
import type { SlackAnswers, WireChannel, WireSnapshot, WireFaults, WireUser, WireView } from "./wire.ts";

function userJson(user: User): WireUser {
  const { id, name, realName, role, isBot, isGuest, isDeactivated } = user;
  return { id, name, realName, role, isBot, isGuest, isDeactivated, isOutsider: isOutsider(user) };
}

function peopleIds(state: State): readonly string[] {
  return peopleOf(state).map((user) => user.id);
}

function channelJson(channel: Channel): WireChannel {
  const { id, name, kind, members, isArchived } = channel;
  return { id, name, kind, members: [...members], hasBot: members.has(bot.user), isArchived };
}

/** Direct conversations are listed even while they are empty. */
function directJson(you: string, partner: string): WireChannel {
  const id = directId(you, partner);
  return {
    id,
    name: "directmessage",
    kind: "im",
    partner,
    members: [you, partner],
    hasBot: partner === bot.user,
    isArchived: false,
  };
}

function channelsOf(world: World, you: string): readonly WireChannel[] {
  const { state } = world;
  const joined = [...state.channels.values()].filter((channel) => channel.kind !== "im" && channel.members.has(you));
  const partners = [bot.user, ...peopleIds(state).filter((id) => id !== you)];
  return [...joined.map(channelJson), ...partners.map((partner) => directJson(you, partner))];
}

function viewJson(view: View | undefined): WireView | null {
  if (view === undefined) return null;
  const { id, type, content, state, errors, hash, session } = view;
  return { id, type, content, state, errors, hash, session };
}

function readsOf(state: State, you: string): Readonly<Record<string, string>> {
  const own = [...state.reads].filter(([key]) => key.startsWith(`${you} `));
  return Object.fromEntries(own.map(([key, ts]) => [key.slice(you.length + 1), ts]));
}

function faultsJson({ faults, externalFaults, externalFaultsOn }: World): WireFaults {
  const plan = faults.planned()[0];
  const answers: SlackAnswers = typeof plan?.fault === "string" ? plan.fault : "";
  const answersTo = plan?.kind ?? "all";
  const extra = externalFaults.map(({ label }) => ({ label, on: externalFaultsOn.has(label) }));
  const { slowMs, retryAfterSeconds, deliverTwice, signsWrongly, signatureAgeSeconds } = faults;
  const deliveries = { deliverTwice, signsWrongly, signatureAgeSeconds };
  return { slowMs, retryAfterSeconds, ...deliveries, answers, answersTo, extra };
}

function appJson({ app }: World): WireSnapshot["app"] {
  const hint = (command: string) => app.commandHints?.find((each) => each.command === command);
  return {
    name: app.name,
    user: bot.user,
    commands: app.commands.map((command) => ({
      command,
      description: hint(command)?.description ?? "",
      usageHint: hint(command)?.usageHint ?? "",
    })),
    shortcuts: (app.shortcuts ?? []).map((each) => ({ ...each, description: each.description ?? "" })),
  };
}

/** Everything one person may see of the workspace, except messages and exchanges. */
export function snapshotFor(world: World, you: string): WireSnapshot {
  const { state } = world;
  const stack = state.modals.get(you) ?? [];
  return {
    you,
    app: appJson(world),
    users: [...state.users.values()].map(userJson),
    people: peopleIds(state),
    groups: [...state.groups.values()].map(({ id, handle, name, users }) => ({ id, handle, name, users })),
    channels: channelsOf(world, you),
    modal: viewJson(stack.at(-1)),
    modalsBelow: Math.max(0, stack.length - 1),
    home: viewJson(state.homes.get(you)),
    reads: readsOf(state, you),
    faults: faultsJson(world),
  };
}
