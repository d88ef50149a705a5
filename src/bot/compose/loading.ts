import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** In a folder that only who installed Gantry may write to: in a shared one, somebody could leave code there. */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/gantry-compiled", import.meta.url));

/**
 * Loading modules is most of a start. It is quicker with what Node compiled the last time; where that can't be kept,
 * nothing is. And it makes garbage for which V8 would extend its young generation, which a bot that waits doesn't need.
 *
 * Both hold for modules that are imported afterwards, so entry points import the rest with `await import`.
 */
export function beginLoading(): void {
  enableCompileCache(COMPILED);
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Work may extend the young generation again. The old one is collected when it has grown by 70 %: left alone, V8 lets
 * the garbage of a busy hour grow to four times what is in use. What was compiled is saved: a bot may run until it is
 * killed.
 */
export function endLoading(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=70");
  flushCompileCache();
}
