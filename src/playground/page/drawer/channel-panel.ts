import { Fragment, h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { userName } from "../app/workspace.ts";
import { Switch } from "../controls/switch.ts";

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
