import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import { requestLimits } from "../../../../api/request-limits.ts";
import { failureLine, OnFailure, onFailureField, onFailureFlag } from "./on-failure.ts";
import { isBare, wantedImage } from "../../../../api/image.ts";
import { NOT_REPORTED } from "../../../changes/updatable-fields.ts";
import { UserError } from "../../../errors.ts";
import type { VerbContext } from "../../command.ts";
import { serviceField } from "../../forms/fields.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { aboutWorkload, servicePrefill } from "../../forms/service-form.ts";
import { Target } from "../../grammar/argument-types.ts";
import { writeVerb } from "../../grammar/verb.ts";
import { containerField, ContainerName, containerPosition, containerUpdates } from "../../lookup/containers.ts";
import { findService } from "../../lookup/find.ts";
import { serviceChange } from "../../lookup/service-change.ts";
import { ImageReference } from "../create/container-arguments.ts";

/** A whole reference, or only the tag or digest of the repository that runs already. */
const Image = z
  .string({ error: "Name the image or its tag." })
  .refine(
    (typed) => isBare(typed) || ImageReference.safeParse(typed).success,
    "IMAGE isn't an image or a tag. Write one such as shop/web:1.5, or only 1.5.",
  );

export const deploy = writeVerb({
  name: "deploy",
  isMostUsed: true,
  summary: "Put another image of a service live, one instance after the other",
  example: "deploy web 1.5",
  question: { amount: ({ image }) => ` ${String(image)}` },
  button: "Deploy",
  aliases: ["set-image"],
  near: ["release", "rollout", "ship", "upgrade", "image", "publish"],
  phrases: [
    ["(deploy|ship|release|roll out|rollout|publish) NAME[ version|:] IMAGE", "deploy NAME IMAGE"],
    ["(deploy|ship|release|roll out|put) [version ]IMAGE (to|of|on|for) NAME", "deploy NAME IMAGE"],
    ["(update|upgrade|bump|set) NAME to [version |image ]IMAGE", "deploy NAME IMAGE"],
    ["(set|change) [the ](image|version|tag) of NAME to IMAGE", "deploy NAME IMAGE"],
  ],
  flags: { container: { value: "C", summary: "which container, if there are several" }, "on-failure": onFailureFlag },
  words: { name: "NAME", image: "IMAGE" },
  updates: "images",
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
        input: { kind: "text", maxLength: requestLimits.image },
      },
      containerField,
      onFailureField,
    ],
    prefill: servicePrefill((service) => ({ notes: [runsNow(service), ...keptImages(service)], values: {} })),
  },
  async propose({ name, image: typed, container, "on-failure": onFailure }, context) {
    await refuseUnkept("image", context);
    const service = await findService(name, context);
    const at = containerPosition(service, container);
    const { image: before, name: containerName } = service.containers?.[at] ?? {};
    const image = wantedImage(typed, before);
    if (image === undefined) {
      throw new UserError(`The workload API doesn't say which image ${service.name} runs.`, {
        next: `Nothing was changed. Write the whole image, as in shop/web:${typed.replace(/^@.*/u, "1.5")}.`,
      });
    }
    const label =
      (service.containers ?? []).length > 1 ? `image of ${containerName ?? `container ${at + 1}`}` : "image";
    return serviceChange(service, context, {
      op: "updateService",
      body: {
        containers: containerUpdates(service, at, (named) => ({ ...(named !== undefined && { name: named }), image })),
      },
      diff: before === image ? [] : [`${label} ${before ?? NOT_REPORTED} → ${image}`, failureLine(service, onFailure)],
    });
  },
});

/** The API's document knows no way to change these, so nobody is asked to approve what can't be done. */
export async function refuseUnkept(
  what: "image" | "environment",
  { engine }: Pick<VerbContext, "engine">,
): Promise<void> {
  if ((await engine())?.keepsRevisions === true) return;
  throw new UserError(`This workload API can't change the ${what} of a service.`, {
    next:
      `Nothing was changed. Create a service with the new ${what} under another name, and delete the old one when the ` +
      "new one is healthy.",
  });
}

/** "Kept: shop/web:1.4 (revision 3), shop/web:1.3 (revision 2)". */
function keptImages({ revision: current, revisions = [] }: Service): string[] {
  const kept = revisions.filter(({ revision, images = [] }) => revision !== current && images.length > 0);
  const named = kept.slice(0, 5).map(({ revision, images = [] }) => `${images.join(", ")} (revision ${revision})`);
  return named.length === 0 ? [] : [truncate(visible(`Ran before: ${named.join(", ")}`), 300)];
}

function runsNow({ name, containers = [] }: Service): ReturnType<typeof aboutWorkload> {
  const images = containers.map(({ name: container, image = "an image that isn't reported" }) =>
    containers.length > 1 ? `${container ?? "unnamed"} (${image})` : image,
  );
  return aboutWorkload(name, images.length === 0 ? " · image not reported" : ` runs ${images.join(", ")}`);
}
