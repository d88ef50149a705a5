import type { PlainTextElement } from "@slack/types";
import { type Shown, truncate, visible } from "./text.ts";

/** Text in which Slack parses nothing, on one line and never empty. */
export function plain(text: Shown, max: number): PlainTextElement {
  return { type: "plain_text", text: truncate(visible(text), max) || "–", emoji: false };
}
