import { describe } from "vitest";
import type { OpenLogs } from "../open-logs.ts";
import { bounds } from "./bounds.ts";
import { pages } from "./pages.ts";

/** All that a log store has to do. */
export function contract(name: string, open: OpenLogs): void {
  describe.each([name])("%s", () => {
    pages(open);
    bounds(open);
  });
}
