import { UserError } from "../errors.ts";

/** Searching or redacting takes too long. Fewer lines may work. */
export class TooExpensive extends UserError {}
