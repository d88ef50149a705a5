import type { Locator } from "playwright-core";
import { seriousFindings } from "./axe.ts";
import type { Window } from "./window.ts";

/** The number of pixels by which the page is wider than its window. */
export async function overflow({ page }: Window): Promise<number> {
  return page.evaluate<number>("document.scrollingElement.scrollWidth - innerWidth");
}

/** Messages with content outside of their pane. Tables and code scroll within themselves. */
export async function sticking({ page }: Window): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`[...document.querySelectorAll("[role=log], dialog")]
    .filter((pane) => pane.scrollWidth > pane.clientWidth + 1)
    .map((pane) => pane.getAttribute("aria-label") ?? pane.className)`);
}

/** Layout problems of the current page at desktop and phone size, and axe's findings in both. */
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

/** The same for a form that is longer than its window: axe takes content scrolled out of a dialog for hidden. */
export async function faultsOfForm(window: Window): Promise<readonly string[]> {
  const { page, modal } = window;
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  const setMaxHeight = (height: string): Promise<void> =>
    modal.evaluate((dialog, maxHeight) => void (dialog.style.maxHeight = maxHeight), height);
  await setMaxHeight("none");
  await page.setViewportSize({ ...before, height: 2_600 });
  const found = await faults(window);
  await setMaxHeight("");
  await page.setViewportSize(before);
  return found;
}

/** Whether an element of a form is completely visible without scrolling. */
export async function isInSight(what: Locator): Promise<boolean> {
  await what.waitFor();
  return what.evaluate((element) => {
    const pane = element.closest(".modal-blocks")?.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    return pane !== undefined && top >= pane.top && bottom <= pane.bottom;
  });
}
