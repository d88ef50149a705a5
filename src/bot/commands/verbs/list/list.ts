import { z } from "zod";
import type { Job, Service } from "../../../../api/answers.ts";
import { Problem } from "../../../../api/problem.ts";
import { section } from "../../../views/kit/blocks.ts";
import { type Message, post } from "../../../views/kit/post.ts";
import { workloadList, isStatusWord } from "./workload-list.ts";
import type { About, VerbContext } from "../../command.ts";
import { listJobs, listServices, type Listed } from "../../lookup/directory.ts";
import type { FormField } from "../../forms/form.ts";
import { listRefusal, visibleItems } from "../../lookup/may-see.ts";
import { UserError } from "../../../errors.ts";
import { counted } from "../../../views/kit/text.ts";
import { kindNamed } from "../../grammar/argument-types.ts";
import { readVerb } from "../../grammar/verb.ts";

const Args = z.object({
  kind: z.enum(["services", "jobs"]).optional(),
  /** The Next button's value holds the filter, so it has to be short. */
  text: z.string().max(100, "A name to filter by can have up to 100 characters.").optional(),
  status: z.string().max(50, "A status can have up to 50 characters.").optional(),
  page: z.number().int().min(0).default(0),
});

const fields: readonly FormField[] = [
  {
    id: "kind",
    label: "Kind",
    hint: "Default: services and jobs",
    input: {
      kind: "choice",
      style: "menu",
      options: [
        { value: "services", text: "Services" },
        { value: "jobs", text: "Jobs" },
      ],
    },
  },
  {
    id: "text",
    label: "Name contains",
    input: { kind: "text", maxLength: 100 },
  },
  {
    id: "status",
    label: "Status",
    hint: "For example failed, running or stopped",
    input: { kind: "text", maxLength: 50 },
  },
];

export const list = readVerb({
  name: "list",
  isMostUsed: true,
  summary: "List services and jobs, trouble first",
  usage: "list [services|jobs] [failed|running|stopped|…] [TEXT]",
  example: "list failed",
  aliases: ["ls", "ps", "get"],
  near: ["top", "services", "jobs", "workloads", "pods", "all", "overview"],
  phrases: [
    [
      "[what] [KINDS|instances] (bad|down|broke)|[pending] troubles|any alerts|[need] attention|(any|is any) should (look|know|worry)",
      "list failed KINDS",
    ],
    [
      "(is|what is) [all] KINDS (good|up)|[is] all (good|up|down|STATUS)|is all KINDS STATUS|how is (all|KINDS)|how is it going|what is going|status all|is all KINDS running",
      "list KINDS",
    ],
    [
      "what [is] (running|up|run|exist|live)|(is any|any) (running|up)|what is|[show|give|what] all|overview|instances [running]|KINDS [run|exist]|status KINDS|what is KINDS up",
      "list KINDS",
    ],
    ["STATUS [KINDS]|what is KINDS STATUS|off", "list KINDS STATUS"],
  ],
  flags: { status: { value: "S", summary: "only workloads with this status, also one that isn't listed here" } },
  words: { kind: "[services|jobs]", status: "[failed|running|stopped|…]", text: "[TEXT]" },
  reads: ["listServices", "listJobs"],
  // Without a kind this asks about services; `readKinds` asks about jobs.
  about: ({ kind }, { region, jobsRegion }) =>
    kind === "jobs"
      ? listAbout("listJobs", { kind: "job", region: jobsRegion })
      : listAbout("listServices", { kind: "service", region }),
  args: Args,
  read: ({ positionals, one }) => ({ status: one("status"), ...sorted(positionals, one("status") !== undefined) }),
  form: { title: "List workloads", submit: "List", fields: () => fields },
  async answer({ kind, text, status, page }, context) {
    const { services, jobs, refusal } = await readKinds(kind, context);
    const message = workloadList({
      services: await visible({ kind: "service", part: services, nameOf: ({ name }) => name }, context),
      jobs: await visible({ kind: "job", part: jobs, nameOf: ({ metadata }) => metadata.name }, context),
      filter: { ...(text !== undefined && { text }), ...(status !== undefined && { status }) },
      page,
      mayCreate: await mayCreate(kind, context),
      ask: context.ask,
      region: context.region,
      jobsRegion: context.settings.jobsRegion,
      now: context.now,
      shared: context.ask.share,
    });
    return withMissing(message, [
      ...missing("services", services),
      ...missing("jobs", jobs),
      ...(refusal === undefined ? [] : [`Jobs aren't listed: ${refusal.why}`]),
    ]);
  },
});

/** Reads both kinds, or the requested one. Throws when none of them can be read. */
async function readKinds(kind: z.output<typeof Args>["kind"], context: VerbContext) {
  const refusal = kind === undefined ? await listRefusal("job", context.settings.jobsRegion, context) : undefined;
  const [read, jobs] = await Promise.all([
    kind === "jobs" ? undefined : kept(listServices(context)),
    kind === "services" || refusal !== undefined ? undefined : kept(listJobs(context)),
  ]);
  const services = kind === undefined && refusal === undefined && isOnlyForJobs(read, context) ? undefined : read;
  const requested = [services, jobs].filter((part) => part !== undefined);
  const [failure] = requested.filter((part) => part instanceof Problem);
  if (failure !== undefined && requested.every((part) => part instanceof Problem)) throw failure;
  return { services, jobs, refusal };
}

/** The jobs' region may have no services: then the workload API refuses it as an unknown region for services. */
function isOnlyForJobs(read: Part, { region, settings: { regions, jobsRegion } }: VerbContext): boolean {
  const isForJobs = region === jobsRegion && !regions.includes(region);
  return isForJobs && read instanceof Problem && (read.status === 400 || read.status === 404);
}

/** A question about a list names no workload. */
function listAbout(op: About["op"], where: Pick<About["workload"], "kind" | "region">): About {
  return { op, risk: undefined, workload: { ...where, name: undefined } };
}

/** Words in any order: a kind, a status, and a part of a name. */
function sorted(positionals: readonly string[], hasStatus: boolean): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const word of positionals) {
    // A pod belongs to a service or to a job.
    if (/^(?:all|pods?|po|workloads?)$/iu.test(word)) continue;
    const { kind } = kindNamed(word) ?? {};
    const isStatus = !hasStatus && isStatusWord(word);
    if (kind !== undefined && found["kind"] === undefined) found["kind"] = `${kind}s`;
    else if (isStatus && found["status"] === undefined) found["status"] = word.toLowerCase();
    else if (found["text"] === undefined) found["text"] = word;
    else throw new UserError(`I can filter by one name, not by “${found["text"]}” and “${word}”.`);
  }
  return found;
}

/** Policy judges the click again. */
async function mayCreate(kind: z.output<typeof Args>["kind"], { permissions }: VerbContext): Promise<boolean> {
  const ops = kind === "jobs" ? (["createJob"] as const) : (["createService"] as const);
  return (await permissions.outlook(ops.map((op) => ({ op, risk: "routine" })))) !== "refuse";
}

/** The API's own sentences; a kind of workload each. */
const MOST_UNLISTED = 5;

type Part = Listed<Service> | Listed<Job> | Problem | undefined;

/** If one kind can't be read, the other is still shown. */
async function kept<Answer>(answer: Promise<Answer>): Promise<Answer | Problem> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

type Kind<Item> = {
  readonly kind: "service" | "job";
  readonly part: Listed<Item> | Problem | undefined;
  readonly nameOf: (item: Item) => string;
};

/**
 * Those that the person may see and, in a bound channel, that it is bound to; a line under the list names the binding.
 */
async function visible<Item>({ kind, part, nameOf }: Kind<Item>, context: VerbContext) {
  if (part === undefined || part instanceof Problem) return undefined;
  const { binding, region } = context;
  const items = part.items.filter((item) => binding?.covers(nameOf(item)) ?? true);
  return visibleItems({ kind, region, items, nameOf }, context);
}

/** Sentences about workloads missing from the list, and why. */
function missing(kind: "services" | "jobs", part: Part): string[] {
  if (part instanceof Problem) return [`Couldn't list the ${kind}: ${part.sentence} ${part.next}`];
  if (part === undefined) return [];
  const { skipped, unlisted } = part;
  const what = counted(skipped, kind.slice(0, -1));
  const unnamed = skipped === 0 ? [] : [`${what} can't be listed, because the workload API sent no name.`];
  return [...unnamed, ...unlisted.slice(0, MOST_UNLISTED)];
}

function withMissing(message: Message, sentences: readonly string[]): Message {
  if (sentences.length === 0) return message;
  const said = post(
    sentences.join("\n"),
    sentences.map((sentence) => section(sentence)),
  );
  return { text: `${message.text}\n${said.text}`, blocks: [...message.blocks, ...said.blocks] };
}
