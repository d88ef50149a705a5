import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

const source = readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Finding = {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { html: string }[];
};

/** Runs axe in the page as it stands: a line for each finding that is serious or critical, with the first element. */
async function look(page: Page, options: string): Promise<readonly string[]> {
  const findings = await page.evaluate<readonly Finding[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) => `${id}: ${help} (${nodes.length} times, first ${nodes[0]?.html.slice(0, 200) ?? ""})`,
    );
}

/** What axe finds serious or critical in a page: all of it in light, and in dark the colours, which alone differ. */
export async function seriousFindings(page: Page): Promise<{ light: readonly string[]; dark: readonly string[] }> {
  await page.evaluate(await source);
  const light = await look(page, '{ resultTypes: ["violations"] }');
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await look(page, '{ resultTypes: ["violations"], runOnly: ["color-contrast"] }');
  await page.emulateMedia({ colorScheme: "light" });
  return { light, dark };
}
