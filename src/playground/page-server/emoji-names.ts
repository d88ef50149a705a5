/** The used part of `@emoji-mart/data`, whose ids are Slack's names. */
export type EmojiData = {
  readonly emojis: { readonly [id: string]: { readonly skins: readonly { readonly native: string }[] } };
  readonly aliases: { readonly [name: string]: string };
};

// Slack's own names: https://docs.slack.dev/messaging/formatting-message-text#emoji
const slackOnly: Readonly<Record<string, string>> = { simple_smile: "🙂" };

/** Characters by Slack's emoji name ("tada", "thumbsup"). */
export function emojiNames(data: EmojiData): Readonly<Record<string, string>> {
  const named = Object.entries(data.emojis).flatMap(([id, emoji]) => {
    const native = emoji.skins[0]?.native;
    return native === undefined ? [] : [[id, native] as const];
  });
  const byId = new Map(named);
  const aliases = Object.entries(data.aliases).flatMap(([name, id]) => {
    const native = byId.get(id);
    return native === undefined ? [] : [[name, native] as const];
  });
  return Object.fromEntries([...Object.entries(slackOnly), ...aliases, ...named]);
}
