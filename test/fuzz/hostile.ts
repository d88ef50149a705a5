import type { Dice } from "./dice.ts";

/** Values at, next to and far beyond every bound one can think of. Nothing here is capped. */

/** One of these, with spaces between them. */
function split(text: string): readonly [string, ...string[]] {
  const [first = "", ...others] = text.split(" ");
  return [first, ...others];
}

const numbers = split(
  "0 1 2 3 4 9 10 11 50 51 100 101 255 256 300 512 1000 1024 2048 65535 65536 3000000 -1 -0 -256 0.5 1.5 " +
    "2147483647 2147483648 4294967296 9007199254740991 9007199254740992 1e10 1e15 1e21 1e300 -1e21",
);

const texts = split(
  "a web us A 0 - _ . .. ../.. a/b a\\b ~ %00 %2e%2e é 日本 😀 \u0000 a\u0000b \n a\r\nb \ud800 \u202eabc \ufeff __proto__ " +
    "constructor toString null 1 512 512Mi 1e3 true host tcp TCP udp UDP $(id) `id` ';drop-table-services;-- " +
    "example.com -a.example.com a..b *.example.com xn-- 127.0.0.1 / /var/lib/data ../etc/passwd",
);

const memories = split(
  "1 256 512Mi 1024Mi 1Gi 512M 64Ki 1T 0 0Mi -1Mi 1.5Gi 999999999999Mi 1e21 0x10 Mi 512mi 99999999999999999999999999999Mi",
);

const lengths = split("1 49 50 51 63 64 65 252 253 254 1000 4096 32768 65536 200000");
const counts = split("0 1 2 3 9 10 11 20 21 64 65 100 101 257 1000 1200 5000");
/** About as many as fit into a body. */
const manyCounts = split("20000 39600 100000 148284");

export function hostileNumber(dice: Dice): number {
  if (dice.chance(0.2)) return Math.floor((dice.next() - 0.3) * 10 ** dice.below(22));
  return Number(dice.pick(numbers));
}

export function hostileText(dice: Dice): string {
  if (dice.chance(0.15)) return dice.pick(["x", "é", "😀", "a-", "0", "\\", '"']).repeat(Number(dice.pick(lengths)));
  if (dice.chance(0.1)) return dice.pick(["", " ", "a b"]);
  return dice.pick(texts);
}

export function hostileCount(dice: Dice): number {
  return Number(dice.pick(dice.chance(0.02) ? manyCounts : counts));
}

/** A JSON value of any type; some fit the property by accident, most do not. */
export function hostileValue(dice: Dice, key = ""): unknown {
  if (/size|port|from/.test(key) && dice.chance(0.7)) return hostileNumber(dice);
  if (/memory/.test(key) && dice.chance(0.8)) return dice.chance(0.5) ? hostileNumber(dice) : dice.pick(memories);
  if (/name|image|path|type|protocol|value|^\d+$/i.test(key) && dice.chance(0.6)) return hostileText(dice);
  const anything = [
    () => hostileNumber(dice),
    () => hostileText(dice),
    () => null,
    () => dice.chance(0.5),
    () => [],
    () => ({}),
    () => Array.from({ length: dice.below(5) }, () => hostileValue(dice)),
    () => ({ [hostileText(dice)]: hostileValue(dice) }),
    () => nested(dice.pick([2, 10, 50, 500])),
  ] as const;
  return anything[dice.below(anything.length)]?.();
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
