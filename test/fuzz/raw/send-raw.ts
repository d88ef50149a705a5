import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { DEADLINE_MS } from "../../support/until.ts";
import { type RawRequest, rawRequest, type Target } from "./raw-request.ts";

/** A server that is open to strangers. */
export type RawTarget = Target & {
  /** "the bot over Socket Mode, health port": begins sentences. */
  readonly name: string;
  readonly port: number;
  /** A path that answers with 200 as long as the program is well. */
  readonly well: string;
  /** How its process ended; undefined while it lives. */
  readonly ended: () => string | undefined;
};

const AT_ONCE = 16;
const ASK_EVERY = 100;
/** What isn't a whole request may have no answer: its connection is given up after so long. */
const HALF_MS = 25;
const LATEST_MS = 15_000;

type Range = { readonly seed: number; readonly count: number };

/** Sends raw requests, and asks every now and then whether the program still answers. Returns what went wrong, as sentences. */
export async function sendRawRequests(target: RawTarget, { seed, count }: Range): Promise<string[]> {
  const wrong: string[] = [];
  for (let from = 0; from < count; from += ASK_EVERY) {
    const to = Math.min(count, from + ASK_EVERY);
    let next = from;
    const work = async (): Promise<void> => {
      while (next < to) {
        const index = next;
        next += 1;
        const asked = rawRequest(index, seed, target);
        const found = wrongWith(asked, await rawAnswer(target.port, asked));
        if (found !== undefined) wrong.push(`${target.name}, raw request ${index}: ${found}\n      ${shown(asked)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const ill = await illness(target);
    if (ill === undefined) continue;
    return [...wrong, `${target.name}: ${ill} after raw requests ${from} to ${to - 1} of seed ${seed}`];
  }
  return wrong;
}

async function illness({ port, well, ended }: RawTarget): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const { status } = await fetch(`http://127.0.0.1:${port}${well}`, { signal });
    return status === 200 ? ended() : `GET ${well} answers ${status}`;
  } catch (error) {
    // A connection breaks a moment before the end of its process is known.
    for (let look = 0; look < 20 && ended() === undefined; look += 1) await pause(50);
    return ended() ?? `GET ${well} isn't answered: ${String(error)}`;
  }
}

type Answer = { readonly text: string; readonly isClosed: boolean };

async function rawAnswer(port: number, { pieces, isWhole }: RawRequest): Promise<Answer> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let text = "";
  const closed = Promise.withResolvers<boolean>();
  socket.setEncoding("latin1").on("data", (part: string) => (text = (text + part).slice(0, 100_000)));
  socket.on("error", () => undefined).on("close", () => closed.resolve(true));
  const timer = setTimeout(() => closed.resolve(false), isWhole ? DEADLINE_MS : LATEST_MS);
  for (const piece of pieces) {
    const left = Promise.withResolvers<void>();
    socket.write(piece, () => left.resolve());
    await Promise.race([left.promise, closed.promise]);
  }
  const isClosed = await (isWhole ? closed.promise : Promise.race([closed.promise, pause(HALF_MS, false)]));
  clearTimeout(timer);
  socket.destroy();
  return { text, isClosed };
}

/** Not ready (503) is an answer; any other error of the server's own is a fault of ours. */
function wrongWith({ isWhole }: RawRequest, { text, isClosed }: Answer): string | undefined {
  if (text !== "" && !/^HTTP\/1\.[01] \d{3} /u.test(text)) return `it answered ${JSON.stringify(text.slice(0, 200))}`;
  const status = Number(text.slice(9, 12));
  if (status >= 500 && status !== 501 && status !== 503) return `it answered ${text.slice(0, 500)}`;
  return isWhole && text === "" && !isClosed ? "no answer came" : undefined;
}

function shown({ pieces }: RawRequest): string {
  const bytes = Buffer.concat(pieces);
  const more = bytes.length > 300 ? `… (${bytes.length} bytes)` : "";
  return `${JSON.stringify(bytes.toString("latin1").slice(0, 300))}${more}`;
}
