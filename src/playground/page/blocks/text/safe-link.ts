const harmless = new Set(["http:", "https:", "mailto:", "tel:"]);

/** An address that is safe to open; undefined for others (javascript:, data:). */
export function safeLink(url: string): string | undefined {
  return URL.canParse(url) && harmless.has(new URL(url).protocol) ? url : undefined;
}
