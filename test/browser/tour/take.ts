import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { world } from "../../support/world.ts";
import { launchChromium, missingChromium } from "../support/chromium.ts";
import { openWindow, type Window } from "../support/window.ts";
import { moment } from "../pictures/shop.ts";
import { animatedWebp, type Frame } from "./animated-webp.ts";
import { tourShop } from "./shop.ts";

// The README's moving picture, of the real bot and the real page, as on a phone: npm run tour

const target = fileURLToPath(new URL("../../../docs/tour.webp", import.meta.url));
const size = { width: 390, height: 690 };
/** For sharp screens. */
const SCALE = 2;
const FRAME_MS = 4_000;

/** The page as it is now, with a line below that says what it shows. */
async function frameOf({ page }: Window, caption: string): Promise<Frame> {
  await page.mouse.move(0, 0);
  const png = await page
    .evaluate((text) => {
      const said = document.getElementById("tour") ?? document.body.appendChild(document.createElement("p"));
      said.id = "tour";
      said.textContent = text;
      Object.assign(said.style, {
        position: "fixed",
        inset: "auto 0 0",
        height: "70px",
        margin: "0",
        padding: "0 16px",
        display: "grid",
        alignItems: "center",
        background: "#1d3557",
        color: "#fff",
        fontSize: "17px",
        fontWeight: "600",
      });
    }, caption)
    .then(() => page.screenshot({ animations: "disabled", caret: "hide" }));
  return { webp: await webpOf({ page }, png), ms: FRAME_MS };
}

/** Chromium encodes it: with a fifth of what a picture without loss takes, text is as sharp on a phone. */
async function webpOf({ page }: Pick<Window, "page">, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d", { alpha: false })?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  }, png.toString("base64"));
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

async function take(): Promise<void> {
  const api = tourShop();
  await using town = await world({ apiFetch: api.fetch });
  await using browser = await launchChromium();
  town.passMinutes((moment - town.now().getTime()) / 60_000);
  const onProblem = (problem: string): void => void process.stderr.write(`${problem}\n`);
  await using dana = await openWindow(browser, {
    url: town.playgroundUrl,
    ...size,
    scale: SCALE,
    onProblem,
    time: moment,
  });
  const frames: Frame[] = [];
  const shows = async (caption: string): Promise<void> => void frames.push(await frameOf(dana, caption));
  const says = async (text: string): Promise<void> => {
    await dana.says(text);
    await town.settled();
  };
  const passes = async (minutes: number, times = 1): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      town.passMinutes(minutes);
      await town.sweep();
      await town.settled();
    }
  };

  await says("/gantry watch all");
  await passes(1);
  api.crashes();
  await passes(1, 3);
  await dana.sees("checkout");
  await shows("1 · A service fails, and its channel hears it");
  await says("/gantry why checkout");
  await shows("2 · Why? The cause, and its last errors");
  await says("/gantry deploy payments 1.5");
  await dana.sees("Approve");
  await shows("3 · A deploy asks the right people");
  await town.approver.clicks("Approve");
  await town.settled();
  await passes(0.05);
  await shows("4 · Alex approves, and it rolls out");
  api.getsStuck();
  await passes(0.2, 6);
  await shows("5 · The new version never gets ready: Gantry goes back");
  writeFileSync(target, animatedWebp(frames, { width: size.width * SCALE, height: size.height * SCALE }));
}

if (missingChromium !== undefined) {
  process.stderr.write(`No picture was taken: ${missingChromium}.\n`);
  process.exit(1);
}
await take();
