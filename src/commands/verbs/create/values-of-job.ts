import type { Job } from "../../../api/answers.ts";
import { copied, isTimeZone, some } from "./create-like.ts";
import type { FormFacts } from "../../forms/form.ts";

/** The form of a job like this one. Which ports a job opens is not told. Pure. */
export function valuesOfJob({ metadata: { name }, spec }: Job): FormFacts {
  const { containers = [], volumes = [] } = spec?.template?.spec ?? {};
  const asked = volumes.filter((volume) => !isTimeZone(volume)).map((volume) => volume.name);
  const pullsAlways = containers[0]?.imagePullPolicy === "Always";
  return copied({
    kind: "job",
    name,
    containers,
    args: { volume: some(asked), "pull-always": pullsAlways ? true : undefined },
    notes: [],
  });
}
