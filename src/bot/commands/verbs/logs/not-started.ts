import { UserError } from "../../../errors.ts";

/** A job that never ran has no logs yet. */
export class NotStarted extends UserError {}
