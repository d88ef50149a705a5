import type { PlanBlock, TaskCardBlock } from "@slack/types";
import { type Block, limits, listed } from "./blocks.ts";
import { words } from "./inline.ts";
import { readable, type Shown } from "./text.ts";

export type Task = { readonly title: string; readonly status: TaskCardBlock["status"] };

/** What is done one after the other, while it is under way. The caller keeps to `limits.planTasks`. */
export function plan(title: Shown, tasks: readonly Task[]): PlanBlock {
  return {
    type: "plan",
    title: taskText(title),
    tasks: tasks.map((task, at): TaskCardBlock => ({
      type: "task_card",
      task_id: String(at + 1),
      title: taskText(task.title),
      status: task.status,
    })),
  };
}

/** Slack's documents call it plain text, and don't say whether it is escaped as a text object is. */
function taskText(text: Shown): string {
  const shown = readable(text, limits.taskTitle).trim();
  return shown.replaceAll("<", "‹").replaceAll(">", "›");
}

const taskMarks: Readonly<Record<Task["status"], string>> = {
  pending: "⏳",
  in_progress: "🟡",
  complete: "🟢",
  error: "🔴",
};

/** A line for each task. */
export function planLines({ tasks = [] }: PlanBlock): string[] {
  return tasks.map((task) => {
    const { title, status } = task as TaskCardBlock; // made by `plan`
    return `${taskMarks[status]} ${title}`;
  });
}

/** The same blocks with plans as lines, for where Slack refuses plans. */
export function withoutPlans(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) =>
    block.type === "plan" ? listed(planLines(block).map((line) => [words(line)])) : [block],
  );
}
