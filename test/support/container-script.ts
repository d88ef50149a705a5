// Scripts for containers of busybox. Dozens run at once, so none starts programs in a loop: `sleep` ten times a second, in each of
// them, keeps a machine busier than the tests do.

/** `sh` as the first process ignores TERM without a trap, and its container takes its whole grace time to stop. */
export function shell(script: string): string[] {
  return ["sh", "-c", `trap 'exit 0' TERM; ${script}`];
}

/** Runs until it is stopped. */
export const rest = "sleep 1000000 & wait";

/** An empty pipe: reading it with a time limit is a pause that starts no program. A restarted container has it already. */
const quiet = "[ -p /tmp/quiet ] || mkfifo /tmp/quiet; exec 9<>/tmp/quiet";

/** Repeats a command until the container stops or the command exits. */
export function every(seconds: number, what: string): string {
  return `${quiet}; while :; do ${what}; read -t ${seconds} _ <&9; done`;
}

/** Its port has to take connections before an instance counts as ready: the page is whole by then. */
export const serving = (page: string): string =>
  `mkdir -p /tmp/www; echo ${page} >/tmp/www/index.html; httpd -p 8080 -h /tmp/www`;
export const listen = serving("hello");

/** Lines that name their container and count from 1: a lost or doubled one shows. */
export const ticking = every(0.1, "echo tick $HOSTNAME $((n=n+1))");
