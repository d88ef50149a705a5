import type { Browser, Locator, Page } from "playwright-core";

export type WindowOptions = {
  /** Where the playground's page is. */
  readonly url: string;
  /** Another page of it: "/gallery.html". */
  readonly path?: string;
  readonly as?: string;
  /** A channel by name, or "@name". */
  readonly in?: string;
  readonly tab?: "home";
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Pixels of a picture for each pixel of the page. */
  readonly scale?: number;
  /** What the page takes for now, in milliseconds since 1970. */
  readonly time?: number;
};

/** One person's browser window on the workspace. Whatever is awaited is waited for, and fails after a while. */
export type Window = {
  readonly page: Page;
  readonly composer: Locator;
  /** The messages of the channel, and those of the open thread. */
  readonly log: Locator;
  readonly thread: Locator;
  readonly modal: Locator;
  /** What has the keyboard's focus. */
  readonly focused: Locator;
  /** Types into the composer of the channel and presses Enter. */
  readonly says: (text: string) => Promise<void>;
  /** Resolves when this stands in a message of the channel. */
  readonly sees: (text: string | RegExp) => Promise<void>;
  /** The newest message of the channel. */
  readonly newest: () => Locator;
  /** The newest message with these words in it. */
  readonly message: (text: string | RegExp) => Locator;
  readonly clicks: (name: string | RegExp) => Promise<void>;
  /** The link of a channel or a direct conversation at the left. */
  readonly place: (name: string | RegExp) => Locator;
  /** Before the workspace goes: a page that loses its workspace has a problem. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const patienceMs = 12_000;

/** The gallery has a picture that cannot be loaded, to show how that looks. */
const lostPicture = "https://gantry.example/lost.png";

function watch(page: Page, tell: (problem: string) => void): void {
  page.on("console", (message) => {
    const isProblem = message.type() === "error" || message.type() === "warning";
    if (isProblem && message.location().url !== lostPicture) tell(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => tell(`thrown: ${error.message}`));
  page.on("requestfailed", (request) => {
    const failure = request.failure()?.errorText ?? "";
    // What was under way when one left the page, and each download.
    const isAborted = failure === "net::ERR_ABORTED";
    if (!isAborted && request.url() !== lostPicture) tell(`request: ${request.url()} ${failure}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) tell(`answer: ${response.url()} ${response.status()}`);
  });
}

function addressOf({ url, path = "/", as = "dana", in: place = "ops", tab }: WindowOptions): string {
  const query = new URLSearchParams({ as, in: place, ...(tab !== undefined && { tab }) });
  return `${url}${path}?${query.toString()}`;
}

/** Windows that were closed, by browser: to use one again takes half as long as to open one. */
const spare = new WeakMap<Browser, Page[]>();

/** Each open window has a profile of its own: in one, all but the last are hidden, and hidden pages hardly run. */
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
  /** Told of errors in the page's console and of requests that failed. */
  readonly tell: (problem: string) => void;
};

/** Opens the page as one person. */
export async function openWindow(browser: Browser, options: Told): Promise<Window> {
  const { width = 1280, height = 800, scheme = "light", scale = 1, tell, time } = options;
  const page = await takePage(browser, scale);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  if (time !== undefined) await page.clock.setFixedTime(time);
  watch(page, tell);
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
    sees: (text) => message(text).waitFor(),
    newest: () => log.getByRole("article").last(),
    message,
    clicks: (name) => page.getByRole("button", { name }).last().click(),
    place: (name) =>
      page.getByRole("navigation", { name: /^(?:Channels|Apps|Direct messages)$/u }).getByRole("link", { name }),
    [Symbol.asyncDispose]: () => giveBack(browser, page),
  };
}
