import {
  type ParsedMention,
  type ParsedSlash,
  readMention,
  readSlash,
} from "../../../../src/bot/commands/grammar/mention-words.ts";
import { addressedBy } from "../../../../src/bot/slack/receive/addressed.ts";

export const regions = ["beijing1", "us"];
const BOT = "U0GANTRY";

function message(text: string, isDirect: boolean): ParsedMention {
  const said = addressedBy({ text, isDirect }, BOT);
  if (said === undefined) throw new Error(`nobody was addressed: ${text}`);
  return readMention(said, regions);
}

/** Every way for words to come in. */
export const doors: Readonly<Record<string, (text: string) => ParsedMention | ParsedSlash>> = {
  "slash command": (text) => readSlash(text, regions),
  mention: (text) => message(`<@${BOT}> ${text}`, false),
  "direct message": (text) => message(text, true),
};

/** The names that the words are about. */
export function namesIn(read: ParsedMention | ParsedSlash): readonly unknown[] {
  if (read.kind !== "run" && read.kind !== "confirm") return [read.kind];
  const { names, name, text } = read.parsed.ask.args;
  return [names ?? name ?? text].flat();
}

export const conditions = [
  "at 18:00",
  "tomorrow",
  "tonight",
  "today",
  "in 10 minutes",
  "until 18:00",
  "after lunch",
  "before the deploy",
  "every hour",
  "when it is down",
  "if it crashes",
  "unless it is up",
  "once worker is up",
  "except worker",
  "for 2 hours",
  "to production",
  "in production",
];

/** What a click or the words themselves would change. */
export function changes(read: ParsedMention | ParsedSlash): readonly unknown[] {
  if (read.kind === "menu") return [];
  if (read.kind === "form") return [read.begun];
  if (read.kind !== "miss") return read.parsed.command.effect === "read" ? [] : [read.parsed.ask];
  const runnable = read.error.suggestions.filter(({ ask }) => !["help", "list", "show", "why"].includes(ask.verb));
  return [...runnable, ...(read.begun === undefined ? [] : [read.begun])];
}
