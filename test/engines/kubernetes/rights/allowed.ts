import type { OperationId } from "../../../../src/api/operations.ts";
import type { Ask, World } from "../../../service/contract/world.ts";

/** An operation was refused: what the user reads. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** Of a cluster that is busy, which says nothing of rights; nothing was changed. */
const slow = /the cluster didn't answer \(the list takes longer than/u;
const TRIES = 5;

/** The body of an answer that must be 200. A busy cluster is asked again. */
export async function allowed(world: World, op: OperationId, what: Ask = {}): Promise<unknown> {
  for (let tried = 1; ; tried += 1) {
    const { status, text, body } = await world.ask(op, what);
    if (status === 200) return body;
    if (tried === TRIES || !slow.test(text)) throw new Refused(`${op} answered ${status}: ${text}`);
  }
}
