import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

const source = readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Finding = {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { html: string }[];
};

/** Runs axe on the current page: a line for each serious or critical finding, with its first element. */
async function runAxe(page: Page, options: string): Promise<readonly string[]> {
  const findings = await page.evaluate<readonly Finding[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) => `${id}: ${help} (${nodes.length} times, first ${nodes[0]?.html.slice(0, 200) ?? ""})`,
    );
}

/**
 * Serious and critical findings of axe on a page: all of them in light mode, in dark mode only the colours, which
 * alone differ.
 */
export async function seriousFindings(page: Page): Promise<{ light: readonly string[]; dark: readonly string[] }> {
  await page.evaluate(await source);
  const light = await runAxe(page, '{ resultTypes: ["violations"] }');
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await runAxe(page, '{ resultTypes: ["violations"], runOnly: ["color-contrast"] }');
  await page.emulateMedia({ colorScheme: "light" });
  return { light, dark };
}
