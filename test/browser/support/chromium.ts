import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { notFullRun } from "../../support/full-run.ts";

/** The shell has no windows, and takes half the time of the whole browser. */
const usual = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const path = process.env["CHROMIUM_PATH"] ?? usual.find((each) => existsSync(each)) ?? "/usr/bin/chromium";

/** Undefined when a browser can be started. */
export const missingChromium: string | undefined = existsSync(path)
  ? undefined
  : `there is no Chromium at ${path}; install it (Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH`;

/** The reason why browser tests can't run here; undefined if they can. */
export const noChromium: string | undefined =
  notFullRun ?? (missingChromium === undefined ? undefined : `skipped: ${missingChromium}`);

/** A browser without network access except for the tested pages. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** The browser of this process, started once: it ends with the process. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium();
  return shared;
}
