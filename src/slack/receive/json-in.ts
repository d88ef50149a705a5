/** What a text holds that Slack carried for us; undefined where it is no JSON. */
export function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
