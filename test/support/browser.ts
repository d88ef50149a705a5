/** A browser, as far as installing an app needs one: it follows links, keeps cookies and presses one button. */
export type Browser = {
  /** Opens an address and follows redirects. */
  readonly open: (url: string, form?: Readonly<Record<string, string>>) => Promise<Page>;
};

export type Page = { readonly url: string; readonly status: number; readonly text: string };

const mostRedirects = 10;

function readable(html: string): string {
  return html.replaceAll("&#39;", "'");
}

/** A new browser without cookies. */
export function newBrowser(): Browser {
  const jar = new Map<string, string>();
  const cookiesFor = (url: string): string => jar.get(new URL(url).host) ?? "";
  const keep = (url: string, response: Response): void => {
    const [cookie] = response.headers.getSetCookie().map((each) => each.split(";", 1)[0] ?? "");
    if (cookie !== undefined) jar.set(new URL(url).host, cookie);
  };
  async function open(url: string, form?: Readonly<Record<string, string>>, hops = 0): Promise<Page> {
    const response = await fetch(url, {
      headers: { cookie: cookiesFor(url) },
      redirect: "manual",
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    keep(url, response);
    const next = response.headers.get("location");
    if (next === null) return { url, status: response.status, text: readable(await response.text()) };
    if (hops >= mostRedirects) throw new Error(`too many redirects, the last to ${next}`);
    return open(new URL(next, url).href, undefined, hops + 1);
  }
  return { open: (url, form) => open(url, form) };
}

export type Choice = {
  /** The id of a workspace or organization. */
  readonly owner: string;
  /** Who installs: the id of a person there. */
  readonly as: string;
  readonly answer?: "allow" | "cancel";
};

/**
 * Installs the app as a person does: from its install page to Slack's page, where they choose and allow, and back.
 * Resolves with the app's last page.
 */
export async function installs(browser: Browser, installPage: string, choice: Choice): Promise<Page> {
  const first = await browser.open(installPage);
  // The install page may be a button instead of a redirect.
  const link = /href="([^"]*\/oauth\/v2\/authorize[^"]*)"/u.exec(first.text)?.[1]?.replaceAll("&amp;", "&");
  const asked = link === undefined ? first : await browser.open(link);
  if (!asked.url.includes("/oauth/v2/authorize")) return asked;
  return browser.open(asked.url, { answer: "allow", ...choice });
}
