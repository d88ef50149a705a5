import { Fragment, h, type JSX } from "preact";
import { Composer } from "../messages/composer.ts";
import { type Draft, useApp, perform } from "../app/page-state.ts";
import { Icon } from "../controls/controls.ts";
import { MessageList } from "../messages/panes.ts";
import { channelMessages, channelName, rememberAppTab, type Tab } from "../app/workspace.ts";
import type { WireChannel, WireSnapshot, WireView } from "../../wire.ts";
import { examplesOf } from "../messages/completion.ts";
import { useEffect } from "preact/hooks";
import { objectsOf } from "../../json.ts";
import { Blocks } from "../blocks/blocks.ts";
import { useBlockContext } from "../surfaces/use-block-context.ts";

function Tabs({ shown }: { readonly shown: Tab }): JSX.Element {
  const { route, go } = useApp();
  const tab = (name: Tab, label: string): JSX.Element =>
    h(
      "button",
      {
        type: "button",
        class: "tab bare muted",
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
  const count = channel.members.length;
  const isApp = channel.partner === snapshot.app.user;
  const mark = channel.kind === "private" ? h(Icon, { name: "lock" }) : channel.kind === "public" ? "#" : null;
  return h(
    "header",
    { class: "pane-head conversation-head row" },
    h("h2", { class: "row" }, mark, h("span", { class: "cut" }, name)),
    isApp ? h(Tabs, { shown: tab }) : null,
    h(
      "span",
      { class: "pane-detail fill cut muted" },
      channel.kind === "im" ? "" : count === 1 ? "1 member" : `${count} members`,
    ),
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
    { class: "conversation column", "aria-label": title },
    h(Head, { tab: isHome ? "home" : "messages" }),
    isHome ? h(HomeTab, { key: snapshot.you }) : talk,
  );
}

function advice(snapshot: WireSnapshot, channel: WireChannel): string {
  const { app, commands } = { app: snapshot.app, commands: snapshot.app.commands };
  const command = commands[0]?.command ?? "a message";
  const bot = snapshot.users.find((user) => user.id === app.user)?.name ?? app.name;
  if (channel.partner === app.user) return `Only you and ${app.name} see this conversation. ${command} works here too.`;
  if (channel.kind === "im") return `Only you and ${channelName(snapshot, channel)} see this conversation.`;
  if (snapshot.install?.isInstalled === false) {
    return `${app.name} isn't installed in ${snapshot.team}. Install it from the list of workspaces.`;
  }
  if (!channel.hasBot) {
    return `${app.name} isn't in this channel: ${command} works, but only you see its answers. Type /invite @${bot} to add it.`;
  }
  return `Type ${command} to start. ${app.name} is the real bot; only this Slack is simulated.`;
}

/** The head of a channel, with commands to try. */
function EmptyState(): JSX.Element {
  const { snapshot, channel, draft } = useApp();
  const name = channelName(snapshot, channel);
  const title = channel.partner === undefined ? `#${name}` : name;
  const isInstalled = snapshot.install?.isInstalled !== false;
  const offersExamples = isInstalled && (channel.kind !== "im" || channel.partner === snapshot.app.user);
  return h(
    "section",
    { class: "empty-state", "aria-label": `About ${title}` },
    h("h2", null, title),
    h("p", null, advice(snapshot, channel)),
    offersExamples
      ? h(
          "ul",
          { class: "chips", "aria-label": "Try one of these" },
          examplesOf(snapshot).map((text) =>
            h("li", { key: text }, h("button", { type: "button", class: "chip", onClick: () => draft(text) }, text)),
          ),
        )
      : null,
  );
}

function HomeView({ view }: { readonly view: WireView }): JSX.Element {
  const { context } = useBlockContext({ in: "view", view });
  return h("div", { class: "home-view" }, h(Blocks, { blocks: objectsOf(view.content["blocks"]), context }));
}

/** The app's Home tab. Opening it sends app_home_opened, on which the bot publishes it. */
function HomeTab(): JSX.Element {
  const { snapshot, route, attempt } = useApp();
  useEffect(() => attempt(perform("home", { as: route.as, tab: "home" })), [snapshot.you]);
  const { home, app } = snapshot;
  const nothing = h(
    "div",
    { class: "empty-state" },
    h("h2", null, "This Home is empty"),
    h("p", null, `${app.name} hasn't sent it yet. You can type commands under Messages.`),
  );
  return h(
    "div",
    { class: "home-tab fill scroll", role: "region", "aria-label": `Home of ${app.name}`, tabIndex: 0 },
    home === null ? nothing : h(HomeView, { key: home.id, view: home }),
  );
}
