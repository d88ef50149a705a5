import { z } from "zod";
import { runningImage } from "../../../../api/image.ts";
import type { Service } from "../../../../api/answers.ts";
import { askButton, section, suggesting, type Line } from "../../../views/kit/blocks.ts";
import { age } from "../../../views/kit/time.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import { type Message, post, postOf } from "../../../views/kit/post.ts";
import type { VerbContext } from "../../command.ts";
import { serviceField, type FormField } from "../../forms/form.ts";
import { Target } from "../../grammar/argument-types.ts";
import { readVerb } from "../../grammar/verb.ts";
import { deployable } from "../../lookup/service-change.ts";
import { findService } from "../../lookup/find.ts";
import { openButton, runButton } from "../../../views/kit/ask-buttons.ts";
import {
  isNow,
  type JudgedRevision,
  standingWords,
  earlierVersion,
  judgedRevisions,
  isGoingBack,
} from "../../../changes/revisions.ts";
import { AT_REST, isIdle } from "../../../../api/workload-status.ts";
import type { Change } from "../../../changes/change.ts";
import { IF_STUCK, changesOf } from "../../../views/kit/verb-words.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import { counted } from "../../../views/kit/text.ts";

/** Versions to go back to. */
const MOST_BUTTONS = 5;

export const versions = readVerb({
  name: "versions",
  summary: "List which images a service ran, and who deployed them",
  example: "versions web",
  question: { label: "Show versions of" },
  aliases: ["rollout history"],
  near: ["revisions", "releases", "deploys", "deployments", "images"],
  phrases: [["versions NAME|previous version NAME|what versions can (rollback|deploy)", "versions NAME"]],
  words: { name: "NAME" },
  reads: ["getService"],
  args: z.object({ name: Target }),
  form: { title: "Show versions", submit: "Show", fields: () => [serviceField] },
  async answer({ name }, context) {
    const service = await findService(name, context);
    return answerOf(service, await judgedBy(service, context), context);
  },
});

function answerOf(service: Service, revisions: readonly JudgedRevision[], { region, now }: VerbContext): Message {
  const { name, revision: current, rollout } = service;
  if (revisions.length === 0) {
    return postOf([section([words(`The workload API doesn't say which versions ${name} ran.`)])]);
  }
  const lines = revisions.map((each) => revisionLine(each, each.revision === current ? service : undefined, now));
  const target = { name: `service/${name}` };
  const good = revisions.filter((each) => each.standing === "ready" && !isNow(each, service)).slice(0, MOST_BUTTONS);
  const back = good.map(({ revision }, at) =>
    runButton(
      `Roll back to ${revision}`,
      { verb: "rollback", region, share: false, args: { ...target, revision: String(revision), isLed: true } },
      { at },
    ),
  );
  const [first, ...others] = back;
  const isStuck = rollout?.state === "stuck";
  const title = `Versions of ${name}`;
  return post(title, [
    section([words("Versions of "), strong(name, 255)], ...lines),
    ...suggesting(
      isStuck ? first : undefined,
      ...(isStuck ? others : back),
      good.length === 0 && revisions.length > 1
        ? openButton("Roll back…", { verb: "rollback", values: target, region })
        : undefined,
      askButton(isStuck ? "Why" : "Show", {
        verb: isStuck ? "why" : "show",
        region,
        share: false,
        args: target,
      }),
    ),
  ]);
}

/** "● 5 shop/web:1.5 · runs now · 2h ago · by Dana Reyes, request 7KQ2MD". */
function revisionLine(each: JudgedRevision, current: Service | undefined, now: Date): Line {
  const ago = age(each.created_at, now);
  const { madeBy } = each;
  const parts = [
    stateOf(each, current),
    ago === undefined ? undefined : `${ago} ago`,
    madeBy && `by ${madeBy.requester.name}, request ${madeBy.id}`,
  ].filter((part) => part !== undefined);
  return [
    words(current === undefined ? "○ " : "● "),
    strong(each.revision, 12),
    words(` ${imagesOf(each, current).join(", ") || "images not reported"}`, 300),
    words(parts.length === 0 ? "" : ` · ${parts.join(" · ")}`),
  ];
}

/** With what really runs, or ran until another revision came, where that is known. */
function imagesOf({ images = [], image_digests: digests }: JudgedRevision, current: Service | undefined): string[] {
  const { containers = [] } = current === undefined ? {} : deployable(current);
  return images.map((image, at) => {
    const container = containers[at];
    return runningImage(image, container?.image === image ? container.image_digest : digests?.[at]);
  });
}

function stateOf(each: JudgedRevision, current: Service | undefined): string | undefined {
  const { state, ready, target } = current?.rollout ?? {};
  const so = ready === undefined || target === undefined ? "" : `, ${ready} of ${target} new instances ready`;
  if (state === "progressing") return `being rolled out${so}`;
  if (state === "stuck") return `doesn't get ready${so}`;
  if (current !== undefined) return "current";
  if (each.is_current === true) return "same as the current one";
  return standingWords(each);
}

/** What follows when new instances don't get ready. */
export const OnFailure = z
  .enum(["roll-back", "stop"], { error: "--on-failure takes roll-back or stop." })
  .default("roll-back");

export const onFailureFlag = {
  value: "W",
  summary: "if it doesn't get ready: `roll-back` (default) or `stop`",
} as const;

export const onFailureField: FormField = {
  id: "on-failure",
  label: "If it doesn't get ready",
  hint: "Default: roll back.",
  isMore: true,
  input: {
    kind: "choice",
    style: "menu",
    options: [
      { value: "roll-back", text: "Roll back" },
      { value: "stop", text: "Stay as it is" },
    ],
  },
};

/** What the card says before anybody approves. */
export function failureLine(change: Pick<Change, "backTo" | "before">, stays = false): string {
  if (!stays && (isIdle(change.before?.status) || change.before?.size === 0)) return AT_REST;
  const to = stays ? undefined : earlierVersion(change)?.revision;
  return to === undefined ? `stays as it is ${IF_STUCK}` : `back to version ${to} automatically ${IF_STUCK}`;
}

/** The lines of a Change that is about to be sent: the revision to go back to may be another one by now. */
export function withFailureLine(diff: readonly string[], found: Pick<Change, "backTo" | "before">): readonly string[] {
  const mayBeOther = (line: string): boolean =>
    line === AT_REST || (line.startsWith("back to ") && line.endsWith(IF_STUCK));
  return diff.map((line) => (mayBeOther(line) ? failureLine(found) : line));
}

/** Enough rows of history to hold who made the revisions that are kept. */
const LOOKED_AT = 100;

/** The revisions of a service, judged with the requests for it that ran or were decided. */
export async function judgedBy(
  service: Service,
  { records, region, account: { username: account } }: Pick<VerbContext, "records" | "region" | "account">,
): Promise<readonly JudgedRevision[]> {
  const { name, revisions = [] } = service;
  if (revisions.length === 0) return [];
  const { events } = await records.history({ workload: { name, account }, show: "outcomes", limit: LOOKED_AT });
  const requests = events.flatMap(({ workload, request }) =>
    request !== undefined && workload?.kind === "service" && workload.region === region ? [request] : [],
  );
  return judgedRevisions(service, requests);
}

/** What else going back to a revision undoes, beside what the person means. */
export type TakenBack = { readonly lines: readonly string[]; readonly isOfOthers: boolean };

type Going = {
  readonly to: Revision;
  /** The id of the person who goes back. */
  readonly userId: string;
  /** The request that they take back; without one, they mean the version that runs. */
  readonly undoes: string | undefined;
};

const LISTED = 5;

/** The changes since a revision that going back to it takes back, newest first. Pure. */
export function takenBack(judged: readonly JudgedRevision[], { to, userId, undoes }: Going): TakenBack {
  const since = judged.filter(
    ({ revision, wasLeft, madeBy }) =>
      revision > to.revision && !wasLeft && !(madeBy !== undefined && isGoingBack(madeBy)),
  );
  const isMeant = ({ madeBy }: JudgedRevision): boolean => madeBy !== undefined && madeBy.id === undoes;
  const good = since.filter(({ standing }) => standing !== "failed");
  const isOnlyNow = good.every((each) => each === since[0]);
  const also = undoes === undefined ? (isOnlyNow ? [] : since) : good.filter((each) => !isMeant(each));
  const lines = also.slice(0, LISTED).map(({ revision, madeBy }) => {
    const by = madeBy?.requester.name ?? "somebody unknown";
    const what = changesOf(madeBy?.diff ?? []).join(", ");
    // An arrow would be read as a difference of this request.
    return `also takes back version ${revision} by ${by}${what === "" ? "" : `: ${what.replaceAll(" → ", " to ")}`}`;
  });
  const more = also.length > LISTED ? [`also takes back ${counted(also.length - LISTED, "earlier one")}`] : [];
  const isOfOthers = also.some((each) => good.includes(each) && each.madeBy?.requester.userId !== userId);
  return { lines: [...lines, ...more], isOfOthers };
}
