import type { Answer, Call, OperationId } from "../api/operations.ts";

/** Who asks: the account name, already authenticated. An engine shows and touches only what is this user's. */
export type User = { readonly username: string };

/**
 * What an engine is given: a Call that was validated against `openapi.yaml`, without its `op`, and who asks. Regions,
 * names, dates and sizes are of the documented form; whether they exist is for the engine to say.
 */
export type EngineRequest<Op extends OperationId> = Omit<Call<Op>, "op"> & { readonly user: User };

/**
 * An engine answers every operation of `openapi.yaml`; a missing or mistyped one does not compile. It resolves to the
 * body of the 200 answer, or throws a `Refusal`; anything else it throws is a bug and becomes a 500.
 */
export type Engine = {
  readonly [Op in OperationId]: (request: EngineRequest<Op>) => Promise<Answer<Op>>;
};

/** The statuses an engine may refuse with; those of routing, authentication and validation belong to `serve`. */
export type RefusalStatus = 400 | 403 | 404 | 409 | 503;

/** The engine says no: the status and one sentence that its user can read. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: RefusalStatus;

  constructor(status: RefusalStatus, message: string) {
    super(message);
    this.status = status;
  }
}
