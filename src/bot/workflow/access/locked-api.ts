import type { AccountApi } from "../../../api/client.ts";
import type { OperationId } from "../../../api/operations.ts";
import { UserError } from "../../errors.ts";
import { type Binding, outsideLock } from "../../policy/binding.ts";
import { operationFacts } from "../../policy/operation-facts.ts";
import type { Question } from "../../policy/question.ts";

/**
 * The API as it is used in a channel that is locked: a call about anything outside is refused before it is sent, so that
 * not even an error reveals what exists. Then throws a `UserError`.
 */
export function apiWithin(api: AccountApi, binding: Binding | undefined): AccountApi {
  if (binding?.isLocked !== true) return api;
  return {
    async send(call, options) {
      const outside = outsideLock(binding, workloadOf(call));
      if (outside !== undefined) throw new UserError(outside.why, { next: outside.next });
      return api.send(call, options);
    },
  };
}

type About = {
  readonly op: OperationId;
  readonly path: { readonly region: string; readonly service_name?: string; readonly job_name?: string };
};

function workloadOf({ op, path }: About): Question["workload"] {
  return { kind: operationFacts[op].kind, region: path.region, name: path.service_name ?? path.job_name };
}
