import { readMention } from "../../../../src/bot/commands/grammar/mention-words.ts";

const regions = ["beijing1", "Moon-1", "us"];

/**
 * The request of a sentence, as "logs web since=5m"; "ask:" before one that its author confirms first. For one that isn't
 * understood, "miss" and the commands or the form that it offers.
 */
export function meant(text: string): string {
  const heard = readMention({ text }, regions);
  if (heard.kind === "menu") return heard.kind;
  if (heard.kind === "miss") {
    const buttons = heard.error.suggestions.flatMap(({ words }) => words ?? []);
    const form = heard.begun && [heard.begun.command.name, ...Object.values(heard.begun.values)].join(" ");
    return ["miss", ...buttons, ...(form === undefined ? [] : [`form ${form}`])].join(" | ");
  }
  const { verb, args, region } = heard.parsed.ask;
  const { name, names, ...rest } = args;
  const others = Object.entries(rest).map(([key, value]) => `${key}=${[value].flat().map(String).join("+")}`);
  return [
    heard.kind === "run" ? "" : "ask:",
    verb,
    ...[name ?? names ?? []].flat().map(String),
    ...others,
    region && `in ${region}`,
  ]
    .filter(Boolean)
    .join(" ")
    .trim();
}
