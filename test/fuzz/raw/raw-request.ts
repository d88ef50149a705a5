import { diceFor, type Dice, weighted } from "../dice.ts";

/** Bytes for a server's port, as no HTTP client would send them. */
export type RawRequest = {
  /** Each is written once the one before has left. */
  readonly pieces: readonly Buffer[];
  /** The server has all it needs for an answer, and owes one, or closes the connection. */
  readonly isWhole: boolean;
};

/** What a server knows: paths where more happens than a 404, and its own host, which a guard lets through. */
export type Target = { readonly host: string; readonly paths: readonly [string, ...string[]] };

type Texts = readonly [string, ...string[]];

/** The words of a text, then some with spaces or of a length of their own. */
function texts(words: string, ...more: readonly string[]): Texts {
  const [first = "", ...others] = words.split(" ");
  return [first, ...others, ...more];
}

const methods: Texts = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PURGE", "get"];
const badMethods: Texts = ["", "FETCH", "G\u0000T", "GET GET", "\u00e9", "A".repeat(2_000), "QUERY", "M-SEARCH", "PRI"];
const targets = texts(
  "// /// //a //a/b /\\ \\ /\\a /..//.. /%2e%2e/%2e%2e /%00 /% /%zz /%c0%af /? /?? /# /?a=%zz&a=%00 * ? # . //[ //: //% " +
    "http:// http://: http://[ http://[::1 http://a:99999/ http://a:b@c/ https://x/ ftp://x/ javascript:alert(1) data:, " +
    "http://999.999.999.999/ http://xn--a/ http:///a http:/a HTTP://X/a file:///etc/passwd /__proto__ /constructor " +
    "/;a=b /a;/b /toString /%5c%5c /a%0d%0aSet-Cookie:x /%F0%9F%98%80 /\u00ff\u00fe",
  `/${"a".repeat(15_000)}`,
  `/${"a/".repeat(7_000)}`,
  `/?${"a=b&".repeat(3_500)}`,
);
const hosts = texts(
  "a..b . .. ... : :: ::1 [::1] [ ] a:b a:99999 a:-1 a:0 999.999.999.999 1.2.3.4.5 0x7f000001 127.1 xn--a xn--zz a/b " +
    "a?b a#b a@b user:pw@a %41 %zz -a a- _ * evil.example evil.example:80 localhost 127.0.0.1 \u00e9 \u00ff a,b",
  "",
  " ",
  "a b",
  "\u0000",
  "a".repeat(15_000),
);
const bodies = texts(
  '{} [] null { {"a" "\u00ff" a=b&a=b a=%zz&%= payload={ payload=%7B%7D payload=%00 ssl_check=1 command=%2Fgantry',
  "[".repeat(20_000),
  '{"__proto__":{"a":1},"as":{},"text":[],"channel":7}',
  '{"as":"dana","channel":"ops","text":{"a":1}}',
  "--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--\r\n",
);
const contentTypes: Texts = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "text/plain",
  "application/json; charset=utf-99",
  ";",
  "",
];

function targetOf(dice: Dice, { paths }: Target): string {
  const path = dice.pick(paths);
  return weighted<() => string>(dice, [
    [() => dice.pick(targets), 4],
    [() => path, 4],
    [
      () =>
        `${path}${dice.pick(["?", "/", "//", "?a=%zz", "?as=%00", "?code=%&state=%", "#", "%", ";", "%2f..", "\\"])}`,
      2,
    ],
    [() => `/${path}`, 1],
    [() => `http://${dice.pick(hosts)}${path}`, 1],
  ])();
}

function hostOf(dice: Dice, { host }: Target): string {
  return dice.chance(0.7) ? host : dice.pick(hosts);
}

function headersOf(dice: Dice, target: Target): string[] {
  const some: readonly (() => string)[] = [
    () => `Origin: ${dice.pick(["null", `http://${target.host}`, "http://evil.example", "http://[", "%", ""])}`,
    () => `Authorization: ${dice.pick(["Bearer xoxb-no", "Bearer", "token", "Basic %%%", "token \u00ff"])}`,
    () => `Content-Type: ${dice.pick(contentTypes)}`,
    () =>
      `X-Slack-Signature: ${dice.pick(["v0=", "v0=zz", "v1=00", ""])}\r\nX-Slack-Request-Timestamp: ${dice.pick(["0", "x", "9e99", ""])}`,
    () => `Cookie: ${dice.pick(["=", "a", "slack-app-oauth-state=%zz", ";;;", "a=\u00ff"])}`,
    () => `Expect: ${dice.pick(["100-continue", "tea"])}`,
    () => `Transfer-Encoding: ${dice.pick(["identity", "gzip", "chunked, gzip", "\u000bchunked"])}`,
    () => `If-None-Match: ${"\u00ff".repeat(10)}`,
    () => `Range: bytes=${dice.pick(["0-", "-", "9-1", "0-99999999999999999999"])}`,
    () => `username: ${dice.pick(["dana", "__proto__", "\u00ff", ""])}`,
    () => `X-As: ${dice.pick(["dana", "__proto__", "", "nobody"])}`,
  ];
  return some.flatMap((header) => (dice.chance(0.15) ? [header()] : []));
}

function head(line: string, headers: readonly string[]): string {
  return `${[line, ...headers].join("\r\n")}\r\n\r\n`;
}

type Made = { readonly text: string; readonly isWhole?: boolean };

/** Proper HTTP about improper things. */
function whole(dice: Dice, target: Target, connection = "close"): string {
  const method = dice.pick(methods);
  const body = dice.chance(0.5) && method !== "GET" ? dice.pick(bodies) : "";
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body, "latin1")}`];
  const version = dice.chance(0.95) ? "1.1" : "1.0";
  const line = `${method} ${targetOf(dice, target)} HTTP/${version}`;
  const headers = [`Host: ${hostOf(dice, target)}`, `Connection: ${connection}`, ...length, ...headersOf(dice, target)];
  return head(line, headers) + body;
}

function badLine(dice: Dice, target: Target): Made {
  const path = targetOf(dice, target);
  const end = `\r\nHost: ${target.host}\r\nConnection: close\r\n\r\n`;
  const lines = [
    () => `${dice.pick(badMethods)} ${path} HTTP/1.1${end}`,
    () => `GET ${path} HTTP/${dice.pick(["9.9", "1.2", "0.9", "", "1", "-1.1", "1.1.1"])}${end}`,
    () => `GET ${path}${end}`,
    () => `GET  ${path}  HTTP/1.1${end}`,
    () => `GET\t${path}\tHTTP/1.1${end}`,
    () => `GET ${path} HTTP/1.1\nHost: ${target.host}\nConnection: close\n\n`,
    () => `\r\n\r\n\r\nGET ${path} HTTP/1.1${end}`,
    () => `GET ${path} HTTP/1.1\rHost: ${target.host}\r\r`,
  ];
  return { text: lines[dice.below(lines.length)]?.() ?? "", isWhole: false };
}

function badHeaders(dice: Dice, target: Target): Made {
  const line = `GET ${dice.pick(target.paths)} HTTP/1.1\r\nHost: ${target.host}\r\nConnection: close\r\n`;
  const headers = [
    () => `X: ${"x".repeat(dice.pick([16_000, 20_000, 200_000]))}\r\n\r\n`,
    () => `${"x: y\r\n".repeat(dice.pick([100, 2_000, 20_000]))}\r\n`,
    () => `X: a\u0000b\r\n\r\n`,
    () => `X: a\nY: b\n\n`,
    () => `X: a\r\n folded\r\n\r\n`,
    () => `no colon\r\n\r\n`,
    () => `: empty\r\n\r\n`,
    () => `X y: z\r\n\r\n`,
    () => `Host: again\r\n\r\n`,
    () => `X\u00ff: \u00ff\r\n\r\n`,
    () => `Connection: ${"close, keep-alive, ".repeat(500)}\r\n\r\n`,
  ];
  return { text: line + (headers[dice.below(headers.length)]?.() ?? ""), isWhole: false };
}

function badBody(dice: Dice, target: Target): Made {
  const line = `${dice.pick(["POST", "PUT", "GET"])} ${dice.pick(target.paths)} HTTP/1.1\r\nHost: ${target.host}\r\nConnection: close\r\n`;
  const type = `Content-Type: ${dice.pick(contentTypes)}\r\n`;
  const chunked = `${line}${type}Transfer-Encoding: chunked\r\n\r\n`;
  const parts = [
    () =>
      `${line}${type}Content-Length: ${dice.pick(["-1", "0x5", "1e3", "99999999999999999999", "5, 6", "+5", "", "a"])}\r\n\r\nhello`,
    () => `${line}${type}Content-Length: 500\r\n\r\nhello`,
    () => `${line}${type}Content-Length: 2\r\n\r\nhello, and more`,
    () => `${line}${type}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    () => `${chunked}${dice.pick(["zz", "-1", "5;a=b", "fffffffffffffffff", "", " 5", "5 "])}\r\nhello\r\n0\r\n\r\n`,
    () => `${chunked}5\r\nhel`,
    () => `${chunked}5\r\nhello, and more\r\n0\r\n\r\n`,
    () => `${chunked}5;${"x".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
    () => `${chunked}0\r\n${"T: t\r\n".repeat(5_000)}\r\n`,
    () => `${chunked}${"1\r\na\r\n".repeat(3_000)}0\r\n\r\n`,
    () => `${line}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
  ];
  return { text: parts[dice.below(parts.length)]?.() ?? "", isWhole: false };
}

function upgrade(dice: Dice, target: Target): Made {
  const key = dice.pick(["dGhlIHNhbXBsZSBub25jZQ==", "", "short", "\u00ff".repeat(24)]);
  const url = dice.chance(0.4)
    ? `/link/${dice.pick(["", "?ticket=", "?ticket=no", "?ticket=%zz&debug_reconnects=true"])}`
    : targetOf(dice, target);
  const headers = [
    `Host: ${hostOf(dice, target)}`,
    `Connection: ${dice.pick(["Upgrade", "upgrade, close", "keep-alive, Upgrade"])}`,
    `Upgrade: ${dice.pick(["websocket", "WebSocket", "h2c", "tea", "websocket, h2c"])}`,
    ...(dice.chance(0.9) ? [`Sec-WebSocket-Key: ${key}`] : []),
    ...(dice.chance(0.9) ? [`Sec-WebSocket-Version: ${dice.pick(["13", "8", "0", "x"])}`] : []),
    ...(dice.chance(0.3)
      ? [`Sec-WebSocket-Extensions: ${dice.pick(["permessage-deflate; a=b; a", ";;", ",", "\u00ff"])}`]
      : []),
    ...(dice.chance(0.3) ? [`Sec-WebSocket-Protocol: ${dice.pick(["a, a", ",", " "])}`] : []),
    ...headersOf(dice, target),
  ];
  const method = dice.chance(0.9) ? "GET" : dice.pick(methods);
  // A frame may come with the request already.
  return {
    text: head(`${method} ${url} HTTP/1.1`, headers) + (dice.chance(0.3) ? noise(dice, 200) : ""),
    isWhole: false,
  };
}

function noise(dice: Dice, most: number): string {
  return String.fromCodePoint(...Array.from({ length: 1 + dice.below(most) }, () => dice.below(256)));
}

function otherProtocols(dice: Dice): Made {
  const first = [
    () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003" + noise(dice, 400),
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000",
    () => "SSH-2.0-OpenSSH_9.9\r\n",
    () => "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    () => "*1\r\n$4\r\nPING\r\n",
    () => noise(dice, 4_000),
    () => "\u0000".repeat(10_000),
    () => "",
  ];
  return { text: first[dice.below(first.length)]?.() ?? "", isWhole: false };
}

function pipelined(dice: Dice, target: Target): Made {
  const count = dice.pick([2, 3, 10, 40]);
  const all = Array.from({ length: count }, (_, at) => whole(dice, target, at === count - 1 ? "close" : "keep-alive"));
  return { text: all.join(""), isWhole: false };
}

/** A few bytes of a request turned into others, left out, or repeated. */
function damaged(dice: Dice, text: string): string {
  let bytes = text;
  for (let left = 1 + dice.below(4); left > 0; left -= 1) {
    const at = dice.below(bytes.length + 1);
    const put = weighted<() => string>(dice, [
      [() => noise(dice, 3), 4],
      [() => dice.pick(["\r", "\n", "\u0000", " ", ":", "\r\n\r\n", "/", "%"]), 4],
      [() => bytes.slice(at, at + dice.below(40)), 2],
      [() => "", 1],
    ])();
    bytes = bytes.slice(0, at) + put + bytes.slice(at + dice.below(4));
  }
  return bytes;
}

/** The request with this number: the same one for the same seed and target. */
export function rawRequest(index: number, seed: number, target: Target): RawRequest {
  const dice = diceFor(seed, index);
  const { text, isWhole = false } = weighted<() => Made>(dice, [
    [() => ({ text: whole(dice, target), isWhole: true }), 8],
    [() => ({ text: damaged(dice, whole(dice, target)) }), 4],
    [() => badLine(dice, target), 3],
    [() => badHeaders(dice, target), 3],
    [() => badBody(dice, target), 3],
    [() => upgrade(dice, target), 4],
    [() => ({ text: damaged(dice, upgrade(dice, target).text) }), 2],
    [() => pipelined(dice, target), 2],
    [() => otherProtocols(dice), 2],
    [() => half(dice, whole(dice, target)), 2],
  ])();
  return { pieces: pieces(dice, Buffer.from(text, "latin1")), isWhole };
}

function half(dice: Dice, text: string): Made {
  return { text: text.slice(0, dice.below(text.length)), isWhole: false };
}

function pieces(dice: Dice, bytes: Buffer): Buffer[] {
  if (dice.chance(0.8) || bytes.length < 2) return [bytes];
  const at = 1 + dice.below(bytes.length - 1);
  return [bytes.subarray(0, at), bytes.subarray(at)];
}
