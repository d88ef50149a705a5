import type { OperationId } from "../../../src/api/operations.ts";
import type { Engine } from "../../../src/service/engine.ts";

/** A plausible bug in one operation: the engine with its other operations as they are. */
export type Mutant = {
  readonly operation: OperationId;
  readonly bug: string;
  readonly change: (good: Engine) => Partial<Engine>;
};

export function mutant(operation: OperationId, bug: string, change: Mutant["change"]): Mutant {
  return { operation, bug, change };
}

export function without<T extends object, K extends keyof T>(whole: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = whole;
  return rest;
}
