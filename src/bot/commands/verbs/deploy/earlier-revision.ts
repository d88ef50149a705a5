import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";

/**
 * What a rollout that isn't over replaces, else the newest earlier revision that went well, with another image if one
 * has. Where the workload API doesn't say how revisions went, nobody can know which one is meant. Pure.
 */
export function earlierOf(service: Service): Revision | undefined {
  const { revision, revisions = [], rollout, containers = [], init_containers: init = [] } = service;
  const isOpen = rollout?.state === "stuck" || rollout?.state === "progressing";
  const replaced = isOpen ? revisions.find((each) => each.revision === rollout.from) : undefined;
  // It may be one that was never ready, which a second deploy replaced.
  if (replaced !== undefined && replaced.outcome !== "aborted") return replaced;
  const earlier = revisions.filter((each) => each.revision !== revision && each.outcome === "done");
  const now = [...containers, ...init].map(({ image }) => image);
  return earlier.find(({ images }) => images !== undefined && String(images) !== String(now)) ?? earlier[0];
}
