import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { world } from "../../support/world.ts";
import { launchChromium, missingChromium } from "../support/chromium.ts";
import { openWindow } from "../support/window.ts";
import { pictures, type Picture } from "./pictures.ts";
import { moment, shop } from "./shop.ts";

// Pictures of what people see, of the real bot and the real page: npm run pictures [-- NAME…]

const folder = new URL("../../../docs/pictures/", import.meta.url);
const formats = [
  { suffix: "1280", width: 1280, height: 800, scheme: "light" },
  { suffix: "390", width: 390, height: 760, scheme: "light" },
  { suffix: "390-dark", width: 390, height: 760, scheme: "dark" },
] as const;

type Chromium = Awaited<ReturnType<typeof launchChromium>>;

async function take(browser: Chromium, picture: Picture): Promise<void> {
  const api = (picture.shop ?? shop)();
  await using town = await world({ apiFetch: api.fetch, ...picture.world });
  town.passMinutes((moment - town.now().getTime()) / 60_000);
  const onProblem = (problem: string): void => void process.stderr.write(`${picture.name}: ${problem}\n`);
  await using dana = await openWindow(browser, {
    url: town.playgroundUrl,
    onProblem,
    time: moment,
    ...(picture.tab !== undefined && { in: "@gantry", tab: picture.tab }),
  });
  await picture.story({ town, dana, api });
  for (const { suffix, width, height, scheme } of formats) {
    await dana.page.setViewportSize({ width, height: picture.height ?? height });
    await dana.page.emulateMedia({ colorScheme: scheme });
    // Away from messages, which show their menu on hover.
    await dana.page.mouse.move(0, 0);
    const path = fileURLToPath(new URL(`${picture.name}-${suffix}.png`, folder));
    await dana.page.screenshot({ path, animations: "disabled", caret: "hide" });
  }
}

if (missingChromium !== undefined) {
  process.stderr.write(`No picture was taken: ${missingChromium}.\n`);
  process.exit(1);
}
await mkdir(folder, { recursive: true });
await using browser = await launchChromium();
const wanted = process.argv.slice(2);
for (const picture of pictures) {
  if (wanted.length > 0 && !wanted.includes(picture.name)) continue;
  await take(browser, picture).catch((error: unknown) => {
    process.stderr.write(`${picture.name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
