import type { JsonObject } from "../../json.ts";
import type { BlockContext } from "./block-context.ts";

/** What every block is given. */
export type BlockProps = { readonly block: JsonObject; readonly context: BlockContext };
