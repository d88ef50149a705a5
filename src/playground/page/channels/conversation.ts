import { Fragment, h, type JSX } from "preact";
import { Composer, type Draft } from "../composer/composer.ts";
import { EmptyState } from "./empty-state.ts";
import { HomeTab } from "../surfaces/home-tab.ts";
import { Icon } from "../controls/icon.ts";
import { MessageList } from "../messages/message-list.ts";
import { rememberAppTab, type Tab } from "../app/route.ts";
import { useApp } from "../app/app-context.ts";
import { channelMessages, channelName } from "../app/workspace.ts";

function membersWords(count: number): string {
  return count === 1 ? "1 member" : `${count} members`;
}

function Tabs({ shown }: { readonly shown: Tab }): JSX.Element {
  const { route, go } = useApp();
  const tab = (name: Tab, label: string): JSX.Element =>
    h(
      "button",
      {
        type: "button",
        class: "tab",
        "aria-pressed": name === shown,
        onClick: () => {
          rememberAppTab(name);
          go({ as: route.as, in: route.in, tab: name });
        },
      },
      label,
    );
  return h(
    "div",
    { class: "tabs", role: "group", "aria-label": "Parts of the app" },
    tab("home", "Home"),
    tab("messages", "Messages"),
  );
}

function Head({ tab }: { readonly tab: Tab }): JSX.Element {
  const { snapshot, channel } = useApp();
  const name = channelName(snapshot, channel);
  const isApp = channel.partner === snapshot.app.user;
  const mark = channel.kind === "private" ? h(Icon, { name: "lock" }) : channel.kind === "public" ? "#" : null;
  return h(
    "header",
    { class: "pane-head conversation-head" },
    h("h2", null, mark, h("span", null, name)),
    isApp ? h(Tabs, { shown: tab }) : null,
    h("span", { class: "pane-detail" }, channel.kind === "im" ? "" : membersWords(channel.members.length)),
    channel.kind === "im" || channel.hasBot
      ? null
      : h("span", { class: "tag warn" }, `${snapshot.app.name} isn't in this channel`),
  );
}

/** The current channel: its messages and composer, or the app's Home tab. */
export function Conversation({ draft }: { readonly draft: Draft | undefined }): JSX.Element {
  const { workspace, snapshot, channel, route } = useApp();
  const isHome = channel.partner === snapshot.app.user && route.tab === "home";
  const name = channelName(snapshot, channel);
  const title = channel.kind === "im" ? name : `#${name}`;
  const talk = h(
    Fragment,
    null,
    h(MessageList, {
      label: `Messages in ${title}`,
      conversation: channel.id,
      messages: channelMessages(workspace, channel.id),
      inThread: false,
      children: h(EmptyState, {}),
    }),
    h(Composer, { key: `${snapshot.you} ${channel.id}`, label: `Message ${title}`, draft }),
  );
  return h(
    "section",
    { class: "conversation", "aria-label": title },
    h(Head, { tab: isHome ? "home" : "messages" }),
    isHome ? h(HomeTab, { key: snapshot.you }) : talk,
  );
}
