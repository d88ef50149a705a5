import { expect } from "vitest";

/** Reads one page of a log that does not grow any more. */
export type ReadPage = (query: Readonly<Record<string, string | number>>) => Promise<readonly unknown[]>;

/**
 * Pages are counted from the newest line and are oldest first inside; a page that is not full is the last one. `whole`
 * has at least six lines and is the log of the days given.
 */
export async function expectPages(read: ReadPage, whole: readonly unknown[]): Promise<void> {
  const length = whole.length;
  expect(length).toBeGreaterThanOrEqual(6);
  const pages: readonly [from: number, size: number][] = [
    [0, 1],
    [0, 4],
    [1, 1],
    [2, 3],
    [length - 1, 1],
    [length - 2, 10],
    [0, 1000],
  ];
  for (const [from, size] of pages) {
    const page = await read({ from, size });

    const wanted = whole.slice(Math.max(length - from - size, 0), length - from);
    expect({ from, size, page }).toEqual({ from, size, page: wanted });
  }
  expect(await read({ from: length, size: 5 })).toEqual([]);
  expect(await read({ from: length + 1000 })).toEqual([]);
  expect(await read({ size: 2 })).toEqual(whole.slice(-2));
}

/** Days are in UTC; a day is taken with and without leading zeros, and a day without lines is empty. */
export async function expectDays(read: ReadPage, whole: readonly unknown[]): Promise<void> {
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()];
  const today = [
    `${year}.${month}.${day}`,
    `${year}.${String(month).padStart(2, "0")}.${String(day).padStart(2, "0")}`,
  ];
  for (const date of today) {
    const lines = await read({ date, size: 1000 });

    expect({ date, lines }).toEqual({ date, lines: whole });
  }
  expect(await read({ date: "2020.02.29" })).toEqual([]);
}

/** Runs a check on a whole log; what an engine still adds after the end of an instance makes it look again. */
export async function onStillLog(read: ReadPage, check: (whole: readonly unknown[]) => Promise<void>) {
  for (let tries = 0; ; tries += 1) {
    const whole = await read({ size: 1000 });
    try {
      await check(whole);
      return;
    } catch (error) {
      if (tries >= 5 || (await read({ size: 1000 })).length === whole.length) throw error;
    }
  }
}
