import { Fragment, h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import type { WireGroup, WireUser } from "../../live/wire.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { Switch } from "../controls/switch.ts";

type Change = (body: JsonObject) => void;

/** A person of another organization; they appear once they were added to a channel. */
const robin = { name: "robin", realName: "Robin Vale" };

function GroupSwitch(props: {
  readonly user: WireUser;
  readonly group: WireGroup;
  readonly change: Change;
}): JSX.Element {
  const { user, group, change } = props;
  return h(Switch, {
    label: `${user.realName} is in @${group.handle}`,
    detail: "",
    isOn: group.users.includes(user.id),
    onChange: (on) => change({ do: on ? "joinGroup" : "leaveGroup", group: group.handle, person: user.name }),
  });
}

function PersonSwitches({ user, change }: { readonly user: WireUser; readonly change: Change }): JSX.Element {
  const { snapshot } = useApp();
  const groups = user.isOutsider ? [] : snapshot.groups;
  return h(
    Fragment,
    null,
    h(Switch, {
      label: `${user.realName} is deactivated`,
      detail: "",
      isOn: user.isDeactivated,
      onChange: (on) => change({ do: on ? "deactivate" : "reactivate", person: user.name }),
    }),
    user.isOutsider || user.isGuest
      ? null
      : h(Switch, {
          label: `${user.realName} is a workspace admin`,
          detail: "",
          isOn: user.isAdmin,
          onChange: (on) => change({ do: "setAdmin", person: user.name, isAdmin: on }),
        }),
    user.isOutsider
      ? null
      : h(Switch, {
          label: `${user.realName} is a guest`,
          detail: "",
          isOn: user.isGuest,
          onChange: (isGuest) => change({ do: "setGuest", person: user.name, isGuest }),
        }),
    groups.map((group) => h(GroupSwitch, { key: group.id, user, group, change })),
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
