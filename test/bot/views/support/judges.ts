import { expect } from "vitest";
import type { HomeView, ModalView } from "@slack/types";
import { checkContent, checkView } from "../../../../src/playground/check/blocks.ts";
import { suggestion } from "../../../../src/playground/check/elements.ts";
import { newSite } from "../../../../src/playground/check/shape.ts";
import { type Json, parseJson, textOf } from "../../../../src/playground/json.ts";
import type { Message, Post } from "../../../../src/bot/views/kit/post.ts";
import type { Suggestion } from "../../../../src/bot/views/forms/picker-options.ts";

/** Controls, bidi, invisible characters, surrogates alone. Tabs and line breaks may stand in preformatted text. */
const unseen = /[\p{Cs}\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff\u00ad]|[^\P{Cc}\t\n]/u;
const live = /<[^>]*>|[<>]|@(?:channel|here|everyone)/iu;
/** None of the generated texts is an id, so that nobody may be mentioned. */
const liveTypes = new Set(["broadcast", "usergroup", "user", "channel", "emoji", "markdown"]);
const plainLink = /^http:\/\/[a-z0-9][a-z0-9.-]*(?::\d+)?$/iu;

function checkText(key: string, text: string): void {
  if (unseen.test(text)) throw new Error(`unseen characters in ${key}: ${text}`);
}

function checkObject(value: { readonly [key: string]: Json }): void {
  const [type, text, url] = [textOf(value["type"]), textOf(value["text"]), textOf(value["url"])];
  checkText(type, text);
  if (type === "mrkdwn" && live.test(text)) throw new Error(`live markup: ${text}`);
  if (liveTypes.has(type)) throw new Error(`a live ${type}`);
  if (type === "link" && !plainLink.test(url)) throw new Error(`a link to ${url}`);
  if (value["emoji"] === true) throw new Error("a plain text whose :emoji: come alive");
}

function walk(value: Json): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) checkObject(value as { readonly [key: string]: Json }); // neither null nor a list
  for (const inner of Object.values(value)) walk(inner);
}

function expectPostFits(post: Post): void {
  const json = JSON.stringify(post);
  // What stands for a secret in the generated workloads.
  if (json.includes("SECRETVALUE")) throw new Error("the value of an environment variable is drawn");
  if (live.test(post.text.replaceAll(/&(?:amp|lt|gt);/gu, ""))) throw new Error(`live markup: ${post.text}`);
  checkText("text", post.text);
  if (json.includes("The rest doesn't fit into")) throw new Error("a view relies on the net under it");
  const args = parseJson(json);
  walk(args ?? null);
  checkContent(args as { readonly [key: string]: Json }, { textLimit: "update.text", summed: true }); // a Post is an object
}

/** Passes when Slack would take every post of the message, and nothing in it is live but what the view itself made. */
export function expectFits(message: Message): void {
  expectPostFits(message);
  const { thread } = message;
  if (thread === undefined) return;
  for (const reply of [...thread.replies, thread.alone]) expectPostFits(reply);
  expect(thread.replies.length).toBeLessThanOrEqual(3);
  for (const { name } of thread.files) expect(name).toMatch(/^[\w.-]{1,120}$/u);
}

/** Passes when Slack would take a modal. */
export function expectFormTaken(view: ModalView): void {
  expect(() => checkView(parseJson(JSON.stringify(view)), "modal")).not.toThrow();
}

/** The same, and nothing in it is live. */
export function expectFormFits(view: ModalView): void {
  walk(parseJson(JSON.stringify(view)) ?? null);
  expectFormTaken(view);
}

/** Passes when Slack would take a Home tab. */
export function expectHomeTaken(view: HomeView): void {
  expect(() => checkView(parseJson(JSON.stringify(view)), "home")).not.toThrow();
}

/** The same, and nothing in it is live. */
export function expectHomeFits(view: HomeView): void {
  walk(parseJson(JSON.stringify(view)) ?? null);
  expectHomeTaken(view);
}

/** Passes when Slack would take what is suggested, and shows nothing that cannot be seen. */
export function expectSuggestionFits(offered: Suggestion): void {
  const json = parseJson(JSON.stringify(offered)) ?? null;
  walk(json);
  const site = newSite("modal");
  suggestion(json, "", site);
  expect(site.problems).toEqual([]);
  const all = "options" in offered ? offered.options : offered.option_groups.flatMap(({ options }) => options);
  expect(all.length).toBeLessThanOrEqual(100);
}
