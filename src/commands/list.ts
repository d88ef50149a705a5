import { z } from "zod";
import { Problem } from "../api/problem.ts";
import { section } from "../views/blocks.ts";
import type { Message } from "../views/message.ts";
import { post } from "../views/post.ts";
import { workloadList } from "../views/workload-list.ts";
import { listJobs, listServices } from "./lookup.ts";
import { readVerb, type Given } from "./verb.ts";

const kinds: Readonly<Record<string, "services" | "jobs">> = {
  services: "services",
  service: "services",
  jobs: "jobs",
  job: "jobs",
};

const Args = z.object({
  kind: z.enum(["services", "jobs"]).optional(),
  /** The filter stands in the value of the Next button, so it has to stay short. */
  text: z.string().max(100, "The text to filter by can have 100 characters at most.").optional(),
  status: z.string().max(50, "A status can have 50 characters at most.").optional(),
  page: z.number().int().min(0).default(0),
});

export const list = readVerb({
  name: "list",
  summary: "List services and jobs, ten a page",
  usage: "list [services|jobs] [TEXT] [--status S]",
  example: "list services web --status Running",
  flags: { status: { value: "S", summary: "only those with this status, for example Running" } },
  words: 2,
  args: Args,
  read(typed) {
    const [first, second] = typed.positionals;
    const kind = first === undefined ? undefined : kinds[first.toLowerCase()];
    return { kind, text: kind === undefined ? first : second, status: typed.one("status") };
  },
  async answer({ kind, text, status, page }, given) {
    const [services, jobs] = await Promise.all([
      kind === "jobs" ? undefined : kept(listServices(given)),
      kind === "services" ? undefined : kept(listJobs(given)),
    ]);
    const failures = [services, jobs].filter((part) => part instanceof Problem);
    const [failure] = failures;
    const wanted = [services, jobs].filter((part) => part !== undefined).length;
    if (failure !== undefined && failures.length === wanted) throw failure;
    const message = workloadList({
      services: services instanceof Problem ? undefined : services,
      jobs: jobs instanceof Problem ? undefined : jobs,
      filter: { ...(text !== undefined && { text }), ...(status !== undefined && { status }) },
      page,
      ...drawing(given),
    });
    return failure === undefined ? message : withMissing(message, failure, services instanceof Problem);
  },
});

function drawing({ ask, region, now, settings }: Given) {
  return { ask, region, now, command: settings.command, shared: ask.share };
}

/** One kind that cannot be read must not hide the other. */
async function kept<Answer>(answer: Promise<Answer>): Promise<Answer | Problem> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function withMissing(message: Message, problem: Problem, services: boolean): Message {
  const sentence = `${services ? "Services" : "Jobs"} are not in this list: ${problem.sentence} ${problem.next}`;
  const missing = post(sentence, [section(sentence)]);
  return { text: `${message.text}\n${missing.text}`, blocks: [...message.blocks, ...missing.blocks] };
}
