import type { OperationId } from "../../../../src/api/operations.ts";
import type { Ask, World } from "../../../service/contract/world.ts";

/** An operation was refused: what the user reads. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The body of an answer that must be 200. */
export async function allowed(world: World, op: OperationId, what: Ask = {}): Promise<unknown> {
  const { status, text, body } = await world.ask(op, what);
  if (status !== 200) throw new Refused(`${op} answered ${status}: ${text}`);
  return body;
}
