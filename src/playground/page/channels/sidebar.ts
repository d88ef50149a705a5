import { type ComponentChildren, h, type JSX } from "preact";
import type { WireChannel, WireUser } from "../../wire.ts";
import { Avatar, Icon } from "../controls/controls.ts";
import { channelName, formatRoute, lastAppTab, type Route, routeName, unreadIn, userOf } from "../app/workspace.ts";
import { useApp } from "../app/page-state.ts";

/** A link within the page; with Ctrl or ⌘ it opens a new window, like any link. */
function RouteLink(props: {
  readonly to: Route;
  readonly class: string;
  readonly isHere: boolean;
  readonly children?: ComponentChildren;
  readonly onGo: () => void;
}): JSX.Element {
  const { go } = useApp();
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(props.to);
    props.onGo();
  };
  return h(
    "a",
    { href: formatRoute(props.to), class: props.class, "aria-current": props.isHere ? "page" : undefined, onClick },
    props.children,
  );
}

function PersonLink({ user, onGo }: { readonly user: WireUser; readonly onGo: () => void }): JSX.Element {
  const { snapshot, route } = useApp();
  const to: Route = { as: user.name, in: route.in.startsWith("@") ? "ops" : route.in };
  const isYou = user.id === snapshot.you;
  return h(
    "li",
    null,
    h(
      RouteLink,
      { to, class: "person row", isHere: isYou, onGo },
      h(Avatar, { user, size: "small" }),
      h("span", { class: "person-name fill cut" }, user.realName),
      h("span", { class: "person-role note" }, user.isDeactivated ? "deactivated" : user.role),
    ),
  );
}

/** The workspaces, if there are several, and the way to install the app where it isn't. */
function Workspaces({ onGo }: { readonly onGo: () => void }): JSX.Element | null {
  const { snapshot } = useApp();
  const { workspaces, install, team, app } = snapshot;
  if (workspaces.length < 2) return null;
  return h(
    "nav",
    { "aria-labelledby": "workspaces-title" },
    h("h2", { id: "workspaces-title" }, "Workspaces"),
    h(
      "ul",
      null,
      workspaces.map(({ name, as }) =>
        h(
          "li",
          { key: as },
          h(RouteLink, { to: { as, in: "ops" }, class: "channel row", isHere: name === team, onGo }, name),
        ),
      ),
    ),
    install === null || install.isInstalled
      ? null
      : h("p", { class: "side-note note" }, h("a", { href: install.url, target: "_blank" }, `Install ${app.name}`)),
  );
}

function You({ onGo }: { readonly onGo: () => void }): JSX.Element {
  const { snapshot } = useApp();
  const people = snapshot.users.filter((user) => snapshot.people.includes(user.id));
  return h(
    "nav",
    { class: "you", "aria-labelledby": "you-title" },
    h("h2", { id: "you-title" }, "You are"),
    h(
      "ul",
      null,
      people.map((user) => h(PersonLink, { key: user.id, user, onGo })),
    ),
    h("p", { class: "side-note note for-mouse" }, "To be two people at once, Ctrl-click a name (⌘-click on a Mac)."),
    h("p", { class: "side-note note for-touch" }, "Tap a name to switch to that person."),
  );
}

function ChannelMark({ channel }: { readonly channel: WireChannel }): JSX.Element {
  const { snapshot } = useApp();
  const partner = channel.partner === undefined ? undefined : userOf(snapshot, channel.partner);
  if (partner !== undefined) return h(Avatar, { user: partner, size: "small" });
  return h(
    "span",
    { class: "channel-mark", "aria-hidden": "true" },
    channel.kind === "private" ? h(Icon, { name: "lock" }) : "#",
  );
}

function ChannelLink({ channel, onGo }: { readonly channel: WireChannel; readonly onGo: () => void }): JSX.Element {
  const { snapshot, route, workspace, channel: shown } = useApp();
  const unread = unreadIn(workspace, snapshot, channel.id);
  const isHere = shown.id === channel.id;
  const words = channel.kind === "private" ? ", a private channel" : "";
  const isApp = channel.partner === snapshot.app.user;
  // New messages first; otherwise the tab of last time.
  const tab = isApp && !unread.isUnread ? { tab: lastAppTab() } : {};
  const news = unread.count > 0 ? `, ${unread.count} for you` : unread.isUnread ? ", unread" : "";
  return h(
    "li",
    null,
    h(
      RouteLink,
      {
        to: { as: route.as, in: routeName(snapshot, channel), ...tab },
        class: unread.isUnread && !isHere ? "channel row unread" : "channel row",
        isHere,
        onGo,
      },
      h(ChannelMark, { channel }),
      h("span", { class: "channel-name fill cut" }, channelName(snapshot, channel)),
      h("span", { class: "hidden" }, words + news),
      unread.count > 0 && !isHere ? h("span", { class: "count", "aria-hidden": "true" }, String(unread.count)) : null,
    ),
  );
}

function ChannelList(props: {
  readonly title: string;
  readonly channels: readonly WireChannel[];
  readonly onGo: () => void;
}): JSX.Element {
  const id = `list-${props.title.toLowerCase().replaceAll(" ", "-")}`;
  return h(
    "nav",
    { "aria-labelledby": id },
    h("h2", { id }, props.title),
    h(
      "ul",
      null,
      props.channels.map((channel) => h(ChannelLink, { key: channel.id, channel, onGo: props.onGo })),
    ),
  );
}

/** The people to act as, and the channels. `onGo` closes the sidebar where it covers the conversation. */
export function Sidebar({ isOpen, onGo }: { readonly isOpen: boolean; readonly onGo: () => void }): JSX.Element {
  const { snapshot } = useApp();
  const { channels, app } = snapshot;
  const isApp = (channel: WireChannel): boolean => channel.partner === app.user;
  return h(
    "div",
    { class: isOpen ? "sidebar open" : "sidebar", id: "sidebar" },
    h(Workspaces, { onGo }),
    h(You, { onGo }),
    h(ChannelList, { title: "Channels", channels: channels.filter((each) => each.kind !== "im"), onGo }),
    h(ChannelList, { title: "Apps", channels: channels.filter(isApp), onGo }),
    h(ChannelList, {
      title: "Direct messages",
      channels: channels.filter((each) => each.kind === "im" && !isApp(each)),
      onGo,
    }),
  );
}
