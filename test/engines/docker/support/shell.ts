/** `sh` as the first process ignores TERM without a trap, and its container takes its whole grace time to stop. */
export function shell(script: string): string[] {
  return ["sh", "-c", `trap 'exit 0' TERM; ${script}`];
}

/** Its port has to take connections before an instance counts as ready. */
export const listen = "mkdir -p /tmp/www; echo hello >/tmp/www/index.html; httpd -p 8080 -h /tmp/www";

/** Lines that name their container and count from 1: a lost or doubled one shows. */
export const ticking = "while :; do echo tick $(hostname) $((n=n+1)); sleep 0.1; done";
