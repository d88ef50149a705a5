import { Refusal } from "../../../engine.ts";
import type { Container } from "../../../workloads/definitions/container.ts";
import { referenceOf, withoutCapitals } from "./image-reference.ts";

/** Throws a `Refusal` 400 for a name that no image can have; whether there is such an image shows when it is pulled. */
export function checkImage({ image }: Pick<Container, "image">, where: string): void {
  if (referenceOf(image)) return;
  const lower = withoutCapitals(image);
  const hint =
    lower === undefined
      ? "use registry/name:tag, in lowercase letters"
      : `a repository name has no capital letters. Use ${JSON.stringify(lower)}`;
  throw new Refusal(400, `${where}.image ${JSON.stringify(image)} isn't the name of an image: ${hint}`);
}
