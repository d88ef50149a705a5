import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

const source = readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Finding = {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { html: string }[];
};

/**
 * What axe finds serious or critical in a page: a line for each, with the first element that has it. Dark and light differ
 * in colours only, so that the rest is looked at once.
 */
export async function seriousFindings(page: Page, scheme: "light" | "dark"): Promise<readonly string[]> {
  await page.evaluate(await source);
  const findings = await page.evaluate<readonly Finding[]>(
    `axe.run(document, { resultTypes: ["violations"]${scheme === "dark" ? ', runOnly: ["color-contrast"]' : ""} }).then(({ violations }) => violations)`,
  );
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) => `${id}: ${help} (${nodes.length} times, first ${nodes[0]?.html.slice(0, 200) ?? ""})`,
    );
}
