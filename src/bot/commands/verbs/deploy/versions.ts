import { z } from "zod";
import { runningImage } from "../../../../api/image.ts";
import type { Service } from "../../../../api/answers.ts";
import { actions, askButton, section, type Line } from "../../../views/kit/blocks.ts";
import { age } from "../../../views/kit/time.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import { type Message, post, postOf } from "../../../views/kit/post.ts";
import type { VerbContext } from "../../command.ts";
import { serviceField } from "../../forms/fields.ts";
import { Target } from "../../grammar/argument-types.ts";
import { readVerb } from "../../grammar/verb.ts";
import { deployable } from "../../lookup/containers.ts";
import { findService } from "../../lookup/find.ts";
import { openButton, runButton } from "../../../views/kit/ask-buttons.ts";
import { isNow, type JudgedRevision, standingWords } from "../../../changes/revisions.ts";
import { judgedBy } from "./going-back.ts";

/** More would hide the others of the row on a phone. */
const MOST_BUTTONS = 5;

export const versions = readVerb({
  name: "versions",
  summary: "List which images a service ran, and who deployed them",
  example: "versions web",
  aliases: ["rollout history"],
  near: ["revisions", "releases", "deploys", "deployments", "images"],
  phrases: [
    ["(which|what) (version|image|tag)[ of NAME] (is|runs|is running)", "versions NAME"],
    ["SHOWthe (versions|revisions|releases|deploys|deployments) of NAME", "versions NAME"],
    ["(which|what) (version|image|tag) (does NAME run|is NAME[ on| running])", "versions NAME"],
  ],
  words: { name: "NAME" },
  reads: ["getService"],
  args: z.object({ name: Target }),
  form: { title: "Show versions", submit: "Show", fields: () => [serviceField] },
  async answer({ name }, context) {
    const service = await findService(name, context);
    return answerOf(service, await judgedBy(service, context), context);
  },
});

function answerOf(
  service: Service,
  revisions: readonly JudgedRevision[],
  { region, now }: Pick<VerbContext, "region" | "now">,
): Message {
  const { name, revision: current, rollout } = service;
  if (revisions.length === 0) {
    return postOf([section([words(`The workload API doesn't say which versions ${name} ran.`)])]);
  }
  const lines = revisions.map((each) => revisionLine(each, each.revision === current ? service : undefined, now));
  const target = { name: `service/${name}` };
  const good = revisions.filter((each) => each.standing === "ready" && !isNow(each, service)).slice(0, MOST_BUTTONS);
  const title = `Versions of ${name}`;
  return post(title, [
    section([words("Versions of "), strong(name, 255)], ...lines),
    ...actions(
      ...good.map(({ revision }, at) =>
        runButton(
          `Roll back to ${revision}`,
          { verb: "rollback", region, share: false, args: { ...target, revision: String(revision), isLed: true } },
          { at },
        ),
      ),
      good.length === 0 && revisions.length > 1
        ? openButton("Roll back…", { verb: "rollback", values: target, region })
        : undefined,
      askButton(rollout?.state === "stuck" ? "Why" : "Show", {
        verb: rollout?.state === "stuck" ? "why" : "show",
        region,
        share: false,
        args: target,
      }),
    ),
  ]);
}

/** "● 5 shop/web:1.5 · runs now · 2 h ago · by Dana Reyes, request 7KQ2MD". */
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
