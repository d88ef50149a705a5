import { operationTable, type OperationId } from "./operations.ts";

/**
 * The next step after a failure. A write whose outcome is unknown is never to be repeated blindly, whatever went wrong;
 * in every other case `otherwise` stands.
 */
export function lookFirst(op: OperationId, maybeSent: boolean, otherwise: string): string {
  const isUnknown = maybeSent && operationTable[op].effect === "write";
  return isUnknown ? "Whether it was done is not known: look at it before you try again." : otherwise;
}
