import type { WireCommand, WireSnapshot } from "../../live/wire.ts";

/** What Slack itself understands here, beside the commands of the app. */
export const slackCommands: readonly WireCommand[] = [
  { command: "/invite", description: "Let somebody, or an app, into this channel", usageHint: "@name" },
  { command: "/remove", description: "Take somebody, or an app, out of this channel", usageHint: "@name" },
];

/** One line of the list under the composer. */
export type Offer = {
  /** What replaces the typed beginning. */
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
  readonly kind: "command" | "person" | "channel" | "shortcut";
  /** Of a shortcut, which runs instead of being typed. */
  readonly callbackId?: string;
};

/** What is offered for the word before the caret; `from` is where that word begins. */
export type Completion = { readonly from: number; readonly offers: readonly Offer[] };

const most = 8;

function startsWith(name: string, typed: string): boolean {
  return name.toLowerCase().startsWith(typed.toLowerCase());
}

function commandOffers(snapshot: WireSnapshot, typed: string): readonly Offer[] {
  const commands = [...snapshot.app.commands, ...slackCommands].map((each): Offer => {
    const detail = [each.usageHint, each.description].filter((part) => part !== "").join(" · ");
    return { insert: `${each.command} `, label: each.command, detail, kind: "command" };
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

function offersFor(snapshot: WireSnapshot, word: string, isFirst: boolean): readonly Offer[] {
  if (word.startsWith("/")) return isFirst ? commandOffers(snapshot, word) : [];
  if (word.startsWith("@")) return nameOffers(snapshot, word);
  return word.startsWith("#") ? channelOffers(snapshot, word) : [];
}

/** What to offer while somebody types; nothing once the word is written out. */
export function completionAt(snapshot: WireSnapshot, text: string, caret: number): Completion | undefined {
  const word = /\S*$/.exec(text.slice(0, caret))?.[0] ?? "";
  const from = caret - word.length;
  const offers = offersFor(snapshot, word, from === 0).slice(0, most);
  return offers.length === 0 ? undefined : { from, offers };
}

/** The words a command takes, while it is being typed; "" when there is nothing to say. */
export function usageOf(snapshot: WireSnapshot, text: string): string {
  const command = /^(\/\S+)\s/.exec(text)?.[1];
  const known = [...snapshot.app.commands, ...slackCommands].find((each) => each.command === command);
  return known === undefined || known.usageHint === "" ? "" : `${known.command} ${known.usageHint}`;
}

/** The text with an offer in it, and where the caret stands then. */
export function accept(text: string, caret: number, chosen: { readonly from: number; readonly insert: string }) {
  const { from, insert } = chosen;
  const rest = text.slice(caret).replace(/^ /, "");
  return { text: text.slice(0, from) + insert + rest, caret: from + insert.length };
}
