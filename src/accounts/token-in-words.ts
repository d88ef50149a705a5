/** A flag alone. With `=` behind it, or anything but small letters, it may well be a secret. */
const FLAG = /^--[a-z]+(?:-[a-z]+)*$/u;
const LONGEST_FLAG = 24;

/**
 * Whether the words after `connect` may hold a token. A command line is kept in Slack's logs and in the composer's
 * history, so any word that is not known to be harmless counts as one, and its token has to be revoked. Never echo
 * such a word.
 */
export function looksLikeToken(words: readonly string[]): boolean {
  return words.some((word) => word !== "channel" && !(FLAG.test(word) && word.length <= LONGEST_FLAG));
}
