import type { WireCommand, WireSnapshot } from "../../wire.ts";

/** Slack's built-in commands. */
const slackCommands: readonly WireCommand[] = [
  { command: "/invite", description: "Add a person or app to this channel", usageHint: "@name" },
  { command: "/remove", description: "Remove a person or app from this channel", usageHint: "@name" },
];

/** A suggestion below the composer. */
export type Offer = {
  /** The text that replaces the typed prefix. */
  readonly insert: string;
  readonly label: string;
  /** The arguments of a command, shortened where they don't fit. */
  readonly hint?: string;
  readonly detail: string;
  readonly kind: "command" | "person" | "channel" | "shortcut";
  /** For shortcuts, which run instead of being inserted. */
  readonly callbackId?: string;
};

/** Suggestions for the word before the caret; `from` is the start of that word. */
export type Completion = { readonly from: number; readonly offers: readonly Offer[] };

const most = 8;

function startsWith(name: string, typed: string): boolean {
  return name.toLowerCase().startsWith(typed.toLowerCase());
}

function commandOffers(snapshot: WireSnapshot, typed: string): readonly Offer[] {
  const commands = [...snapshot.app.commands, ...slackCommands].map((each): Offer => {
    const { command: label, usageHint: hint, description: detail } = each;
    return { insert: `${label} `, label, hint, detail, kind: "command" };
  });
  const shortcuts = snapshot.app.shortcuts
    .filter((each) => each.type === "global")
    .map((each): Offer => {
      const { name: label, description: detail, callbackId } = each;
      return { insert: "", label, detail, kind: "shortcut", callbackId };
    });
  const word = typed.slice(1);
  return [
    ...commands.filter((each) => startsWith(each.label, typed)),
    ...shortcuts.filter((each) => startsWith(each.label, word)),
  ];
}

function nameOffers(snapshot: WireSnapshot, typed: string): readonly Offer[] {
  const people = snapshot.users.map((user): Offer => {
    const label = `@${user.name}`;
    return { insert: `${label} `, label, detail: `${user.realName}, ${user.role}`, kind: "person" };
  });
  const groups = snapshot.groups.map((group): Offer => {
    const label = `@${group.handle}`;
    return { insert: `${label} `, label, detail: `${group.name}, a user group`, kind: "person" };
  });
  return [...people, ...groups].filter((each) => startsWith(each.label, typed));
}

function channelOffers(snapshot: WireSnapshot, typed: string): readonly Offer[] {
  return snapshot.channels
    .filter((channel) => channel.kind !== "im")
    .map((channel): Offer => {
      const label = `#${channel.name}`;
      return { insert: `${label} `, label, detail: `${channel.members.length} members`, kind: "channel" };
    })
    .filter((each) => startsWith(each.label, typed));
}

/** Suggestions while typing; none once the word is complete. */
export function completionAt(snapshot: WireSnapshot, text: string, caret: number): Completion | undefined {
  const word = /\S*$/.exec(text.slice(0, caret))?.[0] ?? "";
  const from = caret - word.length;
  let offers: readonly Offer[] = [];
  if (word.startsWith("/") && from === 0) offers = commandOffers(snapshot, word);
  if (word.startsWith("@")) offers = nameOffers(snapshot, word);
  if (word.startsWith("#")) offers = channelOffers(snapshot, word);
  return offers.length === 0 ? undefined : { from, offers: offers.slice(0, most) };
}

/** The usage hint of the command being typed; "" if there is none. */
export function usageOf(snapshot: WireSnapshot, text: string): string {
  const command = /^(\/\S+)\s/.exec(text)?.[1];
  const known = [...snapshot.app.commands, ...slackCommands].find((each) => each.command === command);
  return known === undefined || known.usageHint === "" ? "" : `${known.command} ${known.usageHint}`;
}

/** The text with the suggestion inserted, and the new caret position. */
export function accept(text: string, caret: number, chosen: { readonly from: number; readonly insert: string }) {
  const { from, insert } = chosen;
  const rest = text.slice(caret).replace(/^ /, "");
  return { text: text.slice(0, from) + insert + rest, caret: from + insert.length };
}

/**
 * Commands from a usage hint such as "list · show NAME · help": complete ones, and the start of those that need a
 * name.
 */
export function examplesOf(snapshot: WireSnapshot): readonly string[] {
  const [main] = snapshot.app.commands;
  if (main === undefined) return [];
  const words = main.usageHint.split("·").map((part) => part.trim().replace(/\s*(?:[A-Z]{2,}|…|\[|<).*$/u, ""));
  const known = words.filter((word) => word !== "");
  return known.length === 0 ? [`${main.command} help`] : known.map((word) => `${main.command} ${word}`);
}
