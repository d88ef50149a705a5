/** Enough to tell two tokens apart, and of a short one nothing. */
export function masked(token: string): string {
  return token.length < 16 ? "…" : `…${token.slice(-4)}`;
}
