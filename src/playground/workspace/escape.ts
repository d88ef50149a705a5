import type { State } from "./state.ts";
import { findChannel, findUser } from "./workspace.ts";

/** Text as Slack stores it, with & < > as entities. https://docs.slack.dev/messaging/formatting-message-text */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// The usual top-level domains; Slack's list is longer.
const endings = "com|org|net|io|dev|app|co|ai|cloud|edu|gov|info|de|eu|uk";
const address = /(?<=^|[\s("'=])https?:\/\/[^\s<>|"']+/gi;
const host = new RegExp(
  `(?<=^|[\\s("'])(?:[a-z0-9-]+\\.)+(?:${endings})(?::\\d+)?(?:/[^\\s<>|"']*)?(?=$|[\\s,;!?)"'])`,
  "gi",
);

/**
 * A command's text under should_escape ("Escape channels, users, and links"): @dana becomes <@U…|dana>, #ops becomes
 * <#C…|ops>, web.dev becomes <http://web.dev|web.dev>. Unknown names stay as typed.
 * https://docs.slack.dev/interactivity/implementing-slash-commands
 */
export function escapeNames(state: State, text: string): string {
  const linked = escapeText(text)
    .replaceAll(host, (name) => `<http://${name}|${name}>`)
    .replaceAll(address, (url) => `<${url}>`);
  return linked.replaceAll(/(?<![\w@#])([@#])([a-z0-9][a-z0-9._-]*)/gi, (typed, mark: string, name: string) => {
    // As Slack's own list of names finds them while somebody types.
    const lower = name.toLowerCase();
    return (mark === "@" ? mention(state, lower) : channelLink(state, lower)) ?? typed;
  });
}

function mention(state: State, name: string): string | undefined {
  const user = findUser(state, name);
  if (user !== undefined) return `<@${user.id}|${user.name}>`;
  const group = [...state.groups.values()].find((each) => each.handle === name);
  return group === undefined ? undefined : `<!subteam^${group.id}|@${group.handle}>`;
}

function channelLink(state: State, name: string): string | undefined {
  const channel = findChannel(state, name);
  return channel === undefined || channel.kind === "im" ? undefined : `<#${channel.id}|${channel.name}>`;
}

/** A message's text as the composer sends it: mentions become <@U…>, without the name. */
export function composedText(state: State, text: string): string {
  return escapeNames(state, text).replaceAll(/<([@#][A-Z0-9]+)\|[^>]*>/g, "<$1>");
}
