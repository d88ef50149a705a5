import { Refusal } from "../../../engine.ts";
import { annotations } from "../names.ts";
import type { FoundService } from "../read/found-service.ts";

type Service = Pick<FoundService, "source" | "service">;

// What a cluster can't do for a service as it is, whoever owns it. Everything else is accepted in any state, as kubectl does.

/** `kubectl rollout restart` refuses the same: nothing would be replaced before the rollout goes on. */
export function refuseUnrestartable(found: Service): void {
  const { source } = found;
  const isPaused = source.kind === "Deployment" && source.object.spec.paused === true;
  if (isPaused) throw refused(found, "restarted", "its rollout is paused. Resume it with `kubectl rollout resume`");
  refuseOnDelete(found, "restarted");
}

/** Such instances keep the old template for as long as they live: the change would be accepted and do nothing. */
export function refuseOnDelete(found: Service, participle: string): void {
  const { source } = found;
  if (source.kind === "Deployment" || source.object.spec.updateStrategy?.type !== "OnDelete") return;
  throw refused(found, participle, "its update strategy is OnDelete. Delete its pods with kubectl");
}

/** Whoever completes it still works with the domains of its creation. */
export function refuseHalfMade(found: Service): void {
  const { metadata } = found.source.object;
  if (metadata.annotations[annotations.making] === undefined) return;
  throw refused(found, "given other domains", "its address and disks are still being made. Try again in a minute");
}

function refused({ service }: Service, participle: string, why: string): Refusal {
  return new Refusal(409, `service ${service.name} can't be ${participle}: ${why}. Nothing was changed.`);
}
