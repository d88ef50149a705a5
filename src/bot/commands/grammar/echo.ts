import { truncate, visible } from "../../views/kit/text.ts";

/** Longer input fills the screen, and its end is seldom where the mistake is. */
const LONGEST = 60;

/** What was typed, shortened and between backticks, for a sentence that views draw as code. Pure. */
export function echo(typed: string): string {
  const shown = truncate(visible(typed.replaceAll("`", "'")), LONGEST);
  return shown === "" ? "an empty word" : `\`${shown}\``;
}
