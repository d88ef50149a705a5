import { actions, askButton } from "../../../views/kit/blocks.ts";
import { type Message, post } from "../../../views/kit/post.ts";
import { age } from "../../../views/kit/time.ts";
import type { VerbContext } from "../../command.ts";
import { type Found, nameOf, statusOf } from "../../lookup/find.ts";
import { imageText } from "./card-parts.ts";
import { headLines, headText } from "./verdict.ts";

/** The answer to "is web ok?": two lines, and a button for the card. */
export function shortAnswer(found: Found, { ask, now }: Pick<VerbContext, "ask" | "now">): Message {
  const head = { name: nameOf(found), status: statusOf(found), now };
  const facts = factsOf(found, now);
  const { brief: _brief, ...args } = ask.args;
  return post([headText(head), ...facts].join(" · "), [
    headLines(head, facts),
    ...actions(askButton("Details", { ...ask, args })),
  ]);
}

/** "2 of 2 instances", "shop/web:1.5"; of a CronJob, how the newest run was. */
function factsOf(found: Found, now: Date): readonly string[] {
  if (found.kind === "service") {
    const { target_instance_size: size, ready_instances: ready, containers = [] } = found.service;
    const ofAll = size === undefined || ready === undefined ? [] : [`${ready} of ${size} ready`];
    return [...ofAll, imageText(containers) ?? []].flat();
  }
  const { schedule, status } = found.job;
  const ran = age(schedule?.last_run ?? status?.completionTime, now);
  if (ran === undefined) return schedule === undefined ? [] : ["no run is known yet"];
  const result = schedule?.last_result === undefined ? "" : `: ${schedule.last_result}`;
  return [schedule === undefined ? `ended ${ran} ago` : `last run ${ran} ago${result}`];
}
