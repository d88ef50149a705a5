import { seriousFindings } from "./axe.ts";
import type { Window } from "./window.ts";

/** How many pixels the page is wider than its window. */
export async function overflow({ page }: Window): Promise<number> {
  return page.evaluate<number>("document.scrollingElement.scrollWidth - innerWidth");
}

/** Messages of which something sticks out of their pane. Tables and code scroll within themselves. */
export async function sticking({ page }: Window): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`[...document.querySelectorAll("[role=log], dialog")]
    .filter((pane) => pane.scrollWidth > pane.clientWidth + 1)
    .map((pane) => pane.getAttribute("aria-label") ?? pane.className)`);
}

/** What is wrong with the page as it stands, on a desk and on a phone: what sticks out, and what axe finds in both. */
export async function faults(window: Window): Promise<readonly string[]> {
  const { page } = window;
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  const found: string[] = [];
  for (const width of [1280, 390]) {
    await page.setViewportSize({ ...before, width });
    const wider = await overflow(window);
    const { light, dark } = await seriousFindings(page);
    found.push(...(wider === 0 ? [] : [`${wider} pixels too wide`]), ...(await sticking(window)), ...light, ...dark);
  }
  await page.setViewportSize(before);
  return found;
}
