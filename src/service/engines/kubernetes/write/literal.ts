/**
 * Kubernetes replaces `$(NAME)` and `$$` in commands, arguments and values of variables
 * (https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/). The API promises a
 * program its words as they were sent, so they are escaped: `$$` for `$` where it would be replaced.
 */
export function escaped(word: string): string {
  return word.replaceAll(/\$+(?=\()|\${2,}/gu, (dollars) => dollars + dollars);
}

/** The word that a program sees of an escaped one. A reference to a variable stays as it is. */
export function unescaped(word: string): string {
  return word.replaceAll("$$", () => "$");
}
