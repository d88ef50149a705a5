import { afterEach, describe, expect } from "vitest";
import { noChromium, sharedChromium } from "./chromium.ts";
import { openWindow, type Window, type WindowOptions } from "./window.ts";

/** Opens a window for one person; `await using` closes it before the workspace stops. */
type Open = (options: WindowOptions) => Promise<Window>;

/**
 * Tests in one real browser. A page that logs an error, or whose request fails, fails its test. Without a browser the
 * tests are skipped, and their names say why.
 */
export function story(title: string, tests: (open: Open) => void): void {
  const why = noChromium === undefined ? "" : ` (${noChromium})`;
  describe.skipIf(noChromium !== undefined)(`${title}${why}`, () => {
    let problems: string[] = [];
    afterEach(() => {
      const found = problems;
      problems = [];
      expect(found, "what went wrong in the page itself").toEqual([]);
    });
    tests(async (options) => {
      const browser = await sharedChromium();
      return openWindow(browser, { ...options, onProblem: (problem) => problems.push(problem) });
    });
  });
}
