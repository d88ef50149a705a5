import type { WorkspaceParts } from "../parts.ts";
import { z } from "zod";
import { within } from "../../../platform/waiting.ts";
import { accountOf, decodeAction } from "../../views/kit/action-id.ts";
import { readJob } from "../../commands/lookup/find.ts";
import {
  type Suggestion as Options,
  changeOptions,
  instanceOptions,
  regionOptions,
  workloadOptions,
} from "../../views/forms/picker-options.ts";
import { maySee } from "../../commands/lookup/may-see.ts";
import { Target } from "../../commands/grammar/argument-types.ts";
import type { Context } from "../../commands/command.ts";
import { UserError } from "../../errors.ts";
import type { Ack } from "./transport.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { openedIn } from "../modals/form-interaction.ts";
import { liveWorkloads } from "../../workflow/access/live-workloads.ts";
import type { Origin } from "../../workflow/origin.ts";
import { CarriedView, originOf, Sent } from "./payload.ts";
import { valuesIn } from "../../views/forms/form-element.ts";

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload */
const Suggestion = z.object({
  action_id: z.string().default(""),
  block_id: z.string().default(""),
  value: z.string().default(""),
  ...Sent.shape,
  user: z.object({ id: z.string() }),
  container: z.object({ channel_id: z.string().optional() }).optional(),
  view: CarriedView.optional(),
});
type Suggestion = z.infer<typeof Suggestion>;

/** The ack carries the options. Slack gives it 3 s, and people keep typing while they wait. */
const WITHIN_MS = 1_500;
/** The workload API's share of that time. */
const SERVICE_WITHIN_MS = 1_100;
const FRESH_MS = 30_000;
const LONGEST_QUERY = 253;

/** The options of a picker: live names, from the last list while it is fresh. */
export async function onSuggestion(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const asked = Suggestion.parse(body);
  const query = asked.value.trim().slice(0, LONGEST_QUERY);
  const options = deps.lanes.track(optionsFor(deps, { ...asked, value: query }));
  const late = (): Options => workloadOptions({ query, problems: ["Still loading. Type the full name."] });
  await ack(await within(WITHIN_MS, options, late, deps.clock));
}

/** Never rejects: a problem becomes an option. */
async function optionsFor(deps: WorkspaceParts, asked: Suggestion): Promise<Options> {
  try {
    return await optionsOf(deps, asked);
  } catch (error) {
    if (!(error instanceof UserError)) deps.log.error({ err: error }, "a picker could not be filled");
    const why = error instanceof UserError ? error.message : "Couldn't load the list. Type the full name.";
    return workloadOptions({ query: asked.value, problems: [why] });
  }
}

async function optionsOf(deps: WorkspaceParts, asked: Suggestion): Promise<Options> {
  const { value: query } = asked;
  const action = decodeAction(asked.action_id);
  // A menu from another version of Gantry.
  if (action?.kind !== "pick") return { options: [] };
  const kind = action.of;
  const { regions } = deps.settings;
  if (kind === "region") return regionOptions({ query, regions });
  const values = asked.view === undefined ? {} : valuesIn(asked.view.state.values);
  const origin = originOfMenu(deps, asked);
  const context = await contextFor(deps, { origin, effect: "read" }, new AbortController().signal);
  if (kind === "change") return changeOptions({ query, changes: await context.records.pending() });
  if (kind === "instance") {
    const target = Target.safeParse(values["name"]).data;
    const isJob = target !== undefined && target.kind !== "service";
    return instanceOptions({ query, names: isJob ? await instancesOf(deps, context, target.name) : [] });
  }
  const region = regionOfBlock(asked.block_id) ?? values["region"] ?? context.settings.region;
  const live = await liveWorkloads(deps, context, {
    of: kind,
    region,
    freshMs: FRESH_MS,
    withinMs: SERVICE_WITHIN_MS,
  });
  return workloadOptions({ query, ...live, region, now: context.now });
}

/** Reads a job's instances with one API call, cached while somebody types. */
async function instancesOf({ clock }: WorkspaceParts, context: Context, name: string): Promise<readonly string[]> {
  const { directory, account, permissions, settings } = context;
  if (!(await maySee({ kind: "job", region: settings.jobsRegion, name }, { permissions, settings }))) return [];
  const known = directory.instances(account.username, name);
  if (known !== undefined && clock.now().getTime() - known.at < FRESH_MS) return known.names;
  const job = await readJob(name, context);
  const names = (job?.instance_names ?? []).toReversed();
  directory.rememberInstances(account.username, name, names);
  return names;
}

/** The region that a list was made for. */
export function regionOfBlock(blockId: string): string | undefined {
  return /^region:(.+)$/u.exec(blockId)?.[1];
}

function originOfMenu(deps: Pick<WorkspaceParts, "people">, asked: Suggestion): Origin {
  const { action_id, container, view } = asked;
  // Home has no channel, and no metadata of a form.
  const opened = view && openedIn(view)?.metadata.origin;
  const account = accountOf(action_id) ?? opened?.account;
  const origin = originOf(deps, { ...asked, channel_id: container?.channel_id ?? opened?.channelId });
  return { ...origin, ...(account !== undefined && { account }) };
}
