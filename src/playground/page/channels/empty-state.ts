import { h, type JSX } from "preact";
import type { WireChannel, WireSnapshot } from "../../live/wire.ts";
import { examplesOf } from "./example-commands.ts";
import { useApp } from "../app/app-context.ts";
import { channelName } from "../app/workspace.ts";

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

function Example({ text }: { readonly text: string }): JSX.Element {
  const { draft } = useApp();
  return h("li", null, h("button", { type: "button", class: "chip", onClick: () => draft(text) }, text));
}

/** The head of a channel, with commands to try. */
export function EmptyState(): JSX.Element {
  const { snapshot, channel } = useApp();
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
          examplesOf(snapshot).map((text) => h(Example, { key: text, text })),
        )
      : null,
  );
}
