import { Fragment, h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import { perform, useApp } from "../app/page-state.ts";
import { userName } from "../app/workspace.ts";
import { Switch } from "../controls/controls.ts";
import type { WireUser } from "../../wire.ts";

/** What an admin does to the current channel. A direct conversation has none of it. */
export function ChannelPanel(): JSX.Element | null {
  const { snapshot, channel, attempt, route, go } = useApp();
  if (channel.kind === "im") return null;
  const { id, name } = channel;
  const bot = userName(snapshot, snapshot.app.user);
  const change = (body: JsonObject): void => attempt(perform("people", { channel: id, ...body }));
  const renamed = name.endsWith("-renamed") ? name.slice(0, -"-renamed".length) : `${name}-renamed`;
  return h(
    Fragment,
    null,
    h(Switch, {
      label: `Remove ${bot} from #${name}`,
      detail: "Commands still work, but only you see the answers.",
      isOn: !channel.hasBot,
      onChange: (on) => attempt(perform("faults", { bot: { channel: id, isIn: !on } })),
    }),
    h(Switch, {
      label: `Archive #${name}`,
      detail: "Nobody can post there, and messages can't change.",
      isOn: channel.isArchived,
      onChange: (on) => change({ do: on ? "archive" : "unarchive" }),
    }),
    h(Switch, {
      label: `Make #${name} private`,
      detail: `Where ${bot} isn't a member, the channel doesn't exist for it.`,
      isOn: channel.kind === "private",
      onChange: (isPrivate) => change({ do: "setPrivate", isPrivate }),
    }),
    h(Switch, {
      label: `Rename #${name}`,
      detail: `To #${renamed}. Its id stays.`,
      isOn: name.endsWith("-renamed"),
      onChange: () => {
        attempt(
          perform("people", { do: "rename", channel: id, name: renamed }).then(() => go({ ...route, in: renamed })),
        );
      },
    }),
  );
}

type Change = (body: JsonObject) => void;

/** A person of another organization; they appear once they were added to a channel. */
const robin = { name: "robin", realName: "Robin Vale" };

function PersonSwitches({ user, change }: { readonly user: WireUser; readonly change: Change }): JSX.Element {
  const { snapshot } = useApp();
  const groups = user.isOutsider ? [] : snapshot.groups;
  return h(
    Fragment,
    null,
    h(Switch, {
      label: `${user.realName} is deactivated`,
      isOn: user.isDeactivated,
      onChange: (on) => change({ do: on ? "deactivate" : "reactivate", person: user.name }),
    }),
    user.isOutsider || user.isGuest
      ? null
      : h(Switch, {
          label: `${user.realName} is a workspace admin`,
          isOn: user.isAdmin,
          onChange: (on) => change({ do: "setAdmin", person: user.name, isAdmin: on }),
        }),
    user.isOutsider
      ? null
      : h(Switch, {
          label: `${user.realName} is a guest`,
          isOn: user.isGuest,
          onChange: (isGuest) => change({ do: "setGuest", person: user.name, isGuest }),
        }),
    groups.map(({ id, handle, users }) =>
      h(Switch, {
        key: id,
        label: `${user.realName} is in @${handle}`,
        isOn: users.includes(user.id),
        onChange: (on) => change({ do: on ? "joinGroup" : "leaveGroup", group: handle, person: user.name }),
      }),
    ),
  );
}

/** Adds Robin to the current channel, which makes it a shared one. */
function OutsiderSwitch({ change }: { readonly change: Change }): JSX.Element | null {
  const { snapshot, channel } = useApp();
  if (channel.kind === "im") return null;
  const known = snapshot.users.find((user) => user.name === robin.name);
  const inChannel = { channel: channel.id, user: robin.name };
  const enter =
    known === undefined ? { do: "addOutsider", ...robin, channel: channel.id } : { do: "invite", ...inChannel };
  return h(Switch, {
    label: `${robin.realName} is in #${channel.name}`,
    detail: `Robin works for another company. This makes the channel a shared one${channel.kind === "private" ? ", with a new id" : ""}.`,
    isOn: known !== undefined && channel.members.includes(known.id),
    onChange: (on) => change(on ? enter : { do: "remove", ...inChannel }),
  });
}

/** Changes users, groups and memberships. Folded, because it is long. */
export function PeoplePanel(): JSX.Element {
  const { snapshot, attempt } = useApp();
  const change: Change = (body) => attempt(perform("people", body));
  const people = snapshot.users.filter((user) => snapshot.people.includes(user.id));
  return h(
    "details",
    { class: "fault-people" },
    h("summary", null, "People and groups"),
    h(
      "div",
      { class: "fault-people-list" },
      h(OutsiderSwitch, { change }),
      people.map((user) => h(PersonSwitches, { key: user.id, user, change })),
    ),
  );
}

/** What admins do with an app that workspaces install themselves. */
export function InstallButtons(): JSX.Element | null {
  const { snapshot, attempt } = useApp();
  const { install, app, team } = snapshot;
  if (install === null) return null;
  const change = (what: string): void => attempt(perform("installs", { do: what }));
  const button = (label: string, what: string): JSX.Element =>
    h("button", { type: "button", class: "btn", disabled: !install.isInstalled, onClick: () => change(what) }, label);
  return h(
    Fragment,
    null,
    install.org === null
      ? null
      : h(Switch, {
          label: `${install.org} adds ${app.name} to ${team}`,
          detail: "An organization's app works in the workspaces that its admins add it to.",
          isOn: install.isInstalled,
          onChange: (on) => change(on ? "addTo" : "removeFrom"),
        }),
    h(
      "p",
      { class: "fault-buttons" },
      button(`Remove ${app.name}`, "uninstall"),
      button("Revoke its token permanently", "revokeTokens"),
    ),
  );
}
