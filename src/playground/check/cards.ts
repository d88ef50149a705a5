import { isList, isObject, type Json } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { all, block, type Check, list, may, must, object, type Property, report, someString, word } from "./shape.ts";
import { button, imageElement } from "./elements.ts";
import { plainOrMrkdwn } from "./composition-objects.ts";
import { richText } from "./rich-text.ts";

const content: Check = (value, at, site) => {
  const parts = ["hero_image", "title", "actions", "body"];
  if (isObject(value) && parts.every((part) => value[part] === undefined)) {
    report(site, "card.content", [at, `one of ${parts.join(", ")} is needed`]);
  }
};

/** https://docs.slack.dev/reference/block-kit/blocks/card-block */
export const card: Check = all(
  block("card", {
    hero_image: may(imageElement),
    icon: may(imageElement),
    title: may(plainOrMrkdwn("card.title")),
    subtitle: may(plainOrMrkdwn("card.subtitle")),
    body: may(plainOrMrkdwn("card.body")),
    actions: may(list(button, "card.actions")),
  }),
  content,
);

// Each card is a block of its own, and action_ids are unique in a block.
const cardOfCarousel: Check = (value: Json, at, site) => card(value, at, { ...site, actionIds: new Set() });

/** https://docs.slack.dev/reference/block-kit/blocks/carousel-block */
export const carousel: Check = block("carousel", { elements: must(list(cardOfCarousel, "carousel.cards")) });

/** The block types that a container takes: https://docs.slack.dev/reference/block-kit/blocks/container-block */
const containable: readonly string[] = [
  "actions",
  "context",
  "divider",
  "header",
  "image",
  "input",
  "rich_text",
  "section",
  "table",
  "video",
];

/** Checks the types and the number of the blocks in a container. Each block is then checked like any other. */
export function children(check: Check): Check {
  return (value, at, site) => {
    if (!isList(value)) return report(site, "object.value", [at, "must be an array"]);
    const { max } = limits["container.children"];
    if (value.length === 0) report(site, "list.empty", [at, "no less than 1 items allowed"]);
    if (value.length > max) report(site, "container.children", [at, `no more than ${max} items allowed`]);
    for (const [index, each] of value.entries()) {
      const type = isObject(each) ? each["type"] : undefined;
      const pointer = `${at}/${index}`;
      if (typeof type === "string" && containable.includes(type)) check(each, pointer, site);
      else report(site, "container.child", [`${pointer}/type`, `unsupported in a container: ${JSON.stringify(type)}`]);
    }
  };
}

/** A container needs a title, and must be collapsible to start collapsed. */
export const containerRules: Check = (value, at, site) => {
  if (!isObject(value)) return;
  if (value["title"] === undefined && value["rich_text_title"] === undefined) {
    report(site, "container.titled", [at, "missing required field: title or rich_text_title"]);
  }
  if (value["default_collapsed"] === true && value["is_collapsible"] !== true) {
    report(site, "container.collapsed", [`${at}/default_collapsed`, "needs is_collapsible"]);
  }
};

/** A source that a task cites. */
export const source: Check = object({ type: must(word("url")), url: must(someString), text: must(someString) });

const task: Readonly<Record<string, Property>> = {
  task_id: must(someString),
  title: must(someString),
  details: may(richText),
  output: may(richText),
  sources: may(list(source)),
  status: must(word("pending", "in_progress", "complete", "error")),
};

/** https://docs.slack.dev/reference/block-kit/blocks/task-card-block */
export const taskCard: Check = block("task_card", task);

// Slack's own examples omit the type of a task in a plan.
const plannedTask: Check = (value, at, site) => {
  const whole = isObject(value) ? { type: "task_card", ...value } : value;
  taskCard(whole, at, site);
};

/** https://docs.slack.dev/reference/block-kit/blocks/plan-block */
export const plan: Check = block("plan", { title: must(someString), tasks: may(list(plannedTask)) });
