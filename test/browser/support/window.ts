import type { Browser, Locator, Page } from "playwright-core";

export type WindowOptions = {
  /** The URL of the playground's page. */
  readonly url: string;
  /** Another path of it. */
  readonly path?: string;
  readonly as?: string;
  /** A channel by name, or "@name". */
  readonly in?: string;
  readonly tab?: "home";
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Device pixels per CSS pixel. */
  readonly scale?: number;
  /** The page's clock, in milliseconds since 1970. */
  readonly time?: number;
};

/** One person's browser window on the workspace. Its functions wait for elements and fail after a time limit. */
export type Window = {
  readonly page: Page;
  readonly composer: Locator;
  /** The messages of the channel, and of the open thread. */
  readonly log: Locator;
  readonly thread: Locator;
  readonly modal: Locator;
  /** The focused element. */
  readonly focused: Locator;
  /** Types into the composer of the channel and presses Enter. */
  readonly says: (text: string) => Promise<void>;
  /** Resolves when a message of the channel contains this. */
  readonly sees: (text: string | RegExp) => Promise<void>;
  /** The newest message of the channel. */
  readonly newest: () => Locator;
  /** The newest message with this text. */
  readonly message: (text: string | RegExp) => Locator;
  readonly clicks: (name: string | RegExp) => Promise<void>;
  /** The sidebar's link to a channel or direct conversation. */
  readonly channelLink: (name: string | RegExp) => Locator;
  /** Before the workspace stops: a page that loses its workspace reports a problem. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const patienceMs = 12_000;

function watch(page: Page, onProblem: (problem: string) => void): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") onProblem(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => onProblem(`thrown: ${error.message}`));
  page.on("requestfailed", (request) => {
    const failure = request.failure()?.errorText ?? "";
    // Requests that were pending when the page was left, and downloads.
    if (failure !== "net::ERR_ABORTED") onProblem(`request: ${request.url()} ${failure}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) onProblem(`answer: ${response.url()} ${response.status()}`);
  });
}

function addressOf({ url, path = "/", as = "dana", in: channel = "ops", tab }: WindowOptions): string {
  const query = new URLSearchParams({ as, in: channel, ...(tab !== undefined && { tab }) });
  return `${url}${path}?${query.toString()}`;
}

/** Closed windows by browser: reusing one takes half as long as opening one. */
const spare = new WeakMap<Browser, Page[]>();

/**
 * Each open window has a profile of its own: within one profile all windows but the last are hidden, and hidden pages
 * hardly run.
 */
async function takePage(browser: Browser, scale: number): Promise<Page> {
  const kept = spare.get(browser)?.pop();
  if (kept !== undefined) return kept;
  const profile = await browser.newContext({
    deviceScaleFactor: scale,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  profile.setDefaultTimeout(patienceMs);
  return profile.newPage();
}

async function giveBack(browser: Browser, page: Page): Promise<void> {
  await page.goto("about:blank");
  page.removeAllListeners();
  spare.set(browser, [...(spare.get(browser) ?? []), page]);
}

type Told = WindowOptions & {
  /** Called with errors in the page's console and failed requests. */
  readonly onProblem: (problem: string) => void;
};

/** Opens the page as one person. */
export async function openWindow(browser: Browser, options: Told): Promise<Window> {
  const { width = 1280, height = 800, scheme = "light", scale = 1, onProblem, time } = options;
  const page = await takePage(browser, scale);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  if (time !== undefined) await page.clock.setFixedTime(time);
  watch(page, onProblem);
  await page.goto(addressOf(options));
  const log = page.getByRole("log", { name: /^Messages in (?!this thread)/u });
  const composer = page.getByRole("textbox", { name: /^Message / });
  const message = (text: string | RegExp): Locator => log.getByRole("article").filter({ hasText: text }).last();
  return {
    page,
    composer,
    log,
    thread: page.getByRole("complementary", { name: "Thread" }),
    modal: page.getByRole("dialog"),
    focused: page.locator(":focus"),
    async says(text) {
      await composer.fill(text);
      await composer.press("Enter");
    },
    async sees(text) {
      try {
        await message(text).waitFor();
      } catch (error) {
        throw new Error(`Not seen: ${String(text)}. The channel says:\n${await log.innerText()}`, { cause: error });
      }
    },
    newest: () => log.getByRole("article").last(),
    message,
    clicks: (name) => page.getByRole("button", { name }).last().click(),
    channelLink: (name) =>
      page.getByRole("navigation", { name: /^(?:Channels|Apps|Direct messages)$/u }).getByRole("link", { name }),
    [Symbol.asyncDispose]: () => giveBack(browser, page),
  };
}
