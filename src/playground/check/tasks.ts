import { isObject } from "../json.ts";
import { block } from "./block.ts";
import { richText } from "./rich-text.ts";
import { type Check, list, may, must, object, someString, type Property, word } from "./shape.ts";

/** A source that a task cites. */
export const source: Check = object({ type: must(word("url")), url: must(someString), text: must(someString) });

const task: Readonly<Record<string, Property>> = {
  task_id: must(someString),
  title: must(someString),
  details: may(richText),
  output: may(richText),
  sources: may(list(source)),
  status: may(word("pending", "in_progress", "complete", "error")),
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
