import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import { requestLimits } from "../../../../api/request-limits.ts";
import { backFrom, type JudgedRevision, standingWords } from "../../../changes/revisions.ts";
import { failureLine, OnFailure, onFailureField, onFailureFlag, judgedBy } from "./versions.ts";
import { isBare, isShortDigest, shortImage, wantedImage } from "../../../../api/image.ts";
import { NOT_REPORTED, serviceSnapshot } from "../../../changes/updatable-fields.ts";
import { UserError } from "../../../errors.ts";
import type { VerbContext } from "../../command.ts";
import { serviceField, type FormOption } from "../../forms/form.ts";
import { truncateMiddle, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import {
  aboutWorkload,
  servicePrefill,
  containerField,
  ContainerName,
  containerPosition,
  containerUpdates,
  deployable,
  ofContainer,
  serviceChange,
} from "../../lookup/service-change.ts";
import { Target } from "../../grammar/argument-types.ts";
import { isLink } from "../../grammar/manners.ts";
import type { SeveralWords } from "../../grammar/several.ts";
import { writeVerb } from "../../grammar/verb.ts";
import { echo } from "../../grammar/words.ts";
import { findService, orOther, OtherKind, readService } from "../../lookup/find.ts";
import { maySee } from "../../lookup/may-see.ts";
import { digestRule, ImageReference } from "../create/container-arguments.ts";

/** A whole reference, or only the tag or digest of the repository that runs already. */
const Image = z
  .string({ error: "Name the image or its tag." })
  .refine((typed) => !isShortDigest(typed), digestRule)
  .refine(
    (typed) => isShortDigest(typed) || isBare(typed) || ImageReference.safeParse(typed).success,
    "IMAGE isn't an image or a tag. Write one such as shop/web:1.5, or only 1.5.",
  );

/** A version, or a reference that is no workload: `1.5`, `v2`, `shop/web:1.5`. */
export const ONLY_IMAGE = /^v?\d[\w-]*\.[\w.-]+$|[:@]/u;

/** What a sentence takes for an image: see IMAGE in plain-sentences.ts. */
const LIKE_IMAGE = /^(?:v?\d[\w.-]*|latest|stable|main|master)$|[/:@]/iu;

/** The last word is the image, and those before it are workloads: `deploy web worker 1.5`, `deploy "shop-*" to 1.5`. */
const wordsForSeveral: SeveralWords = (words) => {
  const [image = "", filler = "", ...others] = words.toReversed();
  if (words.length < 2) {
    if (!image.includes("*")) return undefined;
    throw new UserError("Name the image or its tag.", { next: 'Write it last, as in `deploy "shop-*" 1.5`.' });
  }
  const isFilled = others.length > 0 && /^(?:to|=)$/iu.test(filler);
  const names = (isFilled ? others : [filler, ...others]).toReversed();
  const misplaced = ONLY_IMAGE.test(image) ? undefined : names.find((name) => ONLY_IMAGE.test(name));
  // "tomorrow", and "to production" behind an image, are refused as names.
  const isPlace = isFilled && !ONLY_IMAGE.test(image) && LIKE_IMAGE.test(names.at(-1) ?? "");
  if (isLink(image) || isPlace) return { names: words, args: {} };
  if (misplaced === undefined) return { names, args: imageWord(image) };
  throw new UserError("The image has to be the last word.", {
    next: `Write ${echo(["deploy", ...names.filter((name) => name !== misplaced), image, misplaced].join(" "))}.`,
  });
};

/** `web=shop/web:1.5` names the container, as `kubectl set image` takes it. */
function imageWord(typed: string): { readonly image: string; readonly container?: string } {
  const [, container, image] = /^([a-z0-9][a-z0-9-]*)=(.+)$/u.exec(typed) ?? [];
  return container === undefined || image === undefined ? { image: typed } : { image, container };
}

export const deploy = writeVerb({
  name: "deploy",
  extension: "image",
  isMostUsed: true,
  summary: "Put another image of a service live, one instance after the other",
  example: "deploy web 1.5",
  question: { amount: ({ image }) => ` ${String(image)}` },
  button: "Deploy",
  aliases: ["set-image", "set image", "release", "rollout", "roll out"],
  near: ["deployment", "redeploy", "ship", "upgrade", "update", "image", "publish"],
  phrases: [
    [
      "(deploy|put|set|roll out) [with] [version] IMAGE NAMES|(bring|take|put) [version] live IMAGE NAMES|set version NAME IMAGE|set NAME IMAGE to",
      "deploy NAMES IMAGE",
    ],
    ["(put|go|roll|rollback|undo|take) [back|forward] [on] [version] IMAGE NAME", "deploy NAME IMAGE"],
    ["(deploy|set) version NAME [to] COUNT", "deploy NAME COUNT"],
    ["deploy version NAMES", "deploy NAMES"],
  ],
  flags: { container: { value: "C", summary: "which container, if there are several" }, "on-failure": onFailureFlag },
  words: { name: "NAME", image: "IMAGE" },
  usage: "deploy NAME… IMAGE [--container C] [--on-failure W]",
  several: wordsForSeveral,
  checkAsk: refuseNameAsTag,
  updates: "images",
  read: (_typed, { image, ...byName }) => ({ ...byName, ...(typeof image === "string" && imageWord(image)) }),
  args: z.object({ name: Target, image: Image, container: ContainerName.optional(), "on-failure": OnFailure }),
  form: {
    title: "Deploy",
    submit: "Deploy",
    fields: () => [
      serviceField,
      {
        id: "image",
        label: "Image",
        hint: "A whole image such as shop/web:1.5, or only its tag.",
        isOptional: true,
        input: { kind: "text", maxLength: requestLimits.image },
      },
      {
        id: "revision",
        label: "Or a version that ran before",
        placeholder: "Choose a version",
        isOptional: true,
        input: { kind: "listed" },
      },
      containerField,
      onFailureField,
    ],
    instead({ name, image, revision }) {
      if (revision === undefined || image !== undefined) return undefined;
      return { verb: "rollback", args: { ...(name !== undefined && { name }), revision } };
    },
    check({ image = "", revision = "" }): Readonly<Record<string, string>> {
      if (revision === "") return {};
      if (image.trim() !== "") return { image: "Type an image or choose a version below, not both." };
      return /^\d{1,9}$/u.test(revision) ? {} : { revision: "Choose a version from the list." };
    },
    prefill: servicePrefill(async (service, context) => {
      const kept = keptVersions(service, await judgedBy(service, context), context.now);
      return { notes: [runsNow(service)], values: {}, ...(kept.length > 0 && { options: { revision: kept } }) };
    }),
  },
  async propose({ name, image: typed, container, "on-failure": onFailure }, context) {
    const found = await findService(name, context);
    const service = container === undefined ? found : deployable(found);
    const at = containerPosition(service, container);
    const before = service.containers?.[at]?.image;
    const image = wantedImage(typed, before);
    if (image === undefined) {
      throw new UserError(`The workload API doesn't say which image ${service.name} runs.`, {
        next: `Nothing was changed. Write the whole image, as in shop/web:${typed.replace(/^@.*/u, "1.5")}.`,
      });
    }
    const backTo = backFrom(service, await judgedBy(service, context));
    return serviceChange(found, context, {
      op: "updateService",
      body: {
        containers: containerUpdates(service, at, (named) => ({ ...(named !== undefined && { name: named }), image })),
      },
      diff:
        before === image
          ? []
          : [
              `image${ofContainer(service, at)} ${before ?? NOT_REPORTED} → ${image}`,
              failureLine({ backTo, before: serviceSnapshot(found) }, onFailure === "stop"),
            ],
      backTo,
    });
  },
});

/** `deploy web worker` can mean two workloads without an image, or the tag "worker". */
async function refuseNameAsTag({ image }: { readonly image: string }, context: VerbContext): Promise<void> {
  if (!/^[a-z][a-z0-9-]*$/u.test(image)) return;
  const { region } = context;
  if (!(await maySee({ kind: "service", region, name: image }, context))) return;
  const found = await orOther(readService(image, context));
  if (found === undefined || found instanceof OtherKind) return;
  throw new UserError(`${image} is a service, so I can't tell whether you also mean a tag.`, {
    next: `Nothing was changed. Write the image last, as in \`deploy web ${image} 1.5\`. For the tag, write \`:${image}\`.`,
  });
}

/** ":1.4 · 5d ago", and below it "Version 3 · went well". */
function keptVersions(service: Service, judged: readonly JudgedRevision[], now: Date): FormOption[] {
  const { revision: current, containers = [] } = service;
  const kept = judged.filter(({ revision, images = [] }) => revision !== current && images.length > 0);
  return kept.map((each) => {
    const { revision, images = [], created_at: since } = each;
    const short = images.map((image, at) => shortImage(image, containers[at]?.image ?? image));
    const ago = age(since, now);
    const text = `${truncateMiddle(visible(short.join(", ")), 50)}${ago === undefined ? "" : ` · ${ago} ago`}`;
    const how = standingWords(each) ?? "went well";
    return { value: String(revision), text, description: `Version ${revision} · ${how}` };
  });
}

function runsNow({ name, containers = [] }: Service): ReturnType<typeof aboutWorkload> {
  const images = containers.map(({ name: container, image = "an image that isn't reported" }) =>
    containers.length > 1 ? `${container ?? "unnamed"} (${image})` : image,
  );
  return aboutWorkload(name, images.length === 0 ? " · image not reported" : ` runs ${images.join(", ")}`);
}
