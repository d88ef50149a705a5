const harmless = new Set(["http:", "https:", "mailto:", "tel:"]);

/** An address that a click may open; undefined for all that could run or read something here (javascript:, data:). */
export function safeLink(url: string): string | undefined {
  return URL.canParse(url) && harmless.has(new URL(url).protocol) ? url : undefined;
}
