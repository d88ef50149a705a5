import { chmodSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

// For the image: `node src/bin/bundle.ts dist` writes `gantry` and what it imports as a few files. A start from the sources
// reads 1,500, takes twice the time, and keeps 20 MB more in memory.

const project = fileURLToPath(new URL("../..", import.meta.url));
const out = resolve(process.argv[2] ?? "dist");

/** Without places in packages: with the first error, they would take as much memory as the packages. */
const noPlaces = { version: 3, sources: [], names: [], mappings: "" };

/** What lies beside a source is still found there: the manifest, the code of a thread, what Node has compiled. */
const beside: Plugin = {
  name: "beside",
  transform(code, id) {
    if (id.includes("/node_modules/")) return { code, map: noPlaces };
    if (!/import\.meta\.(?:url|dirname)/u.test(code)) return undefined;
    const url = `new URL("${fromOut(id)}", import.meta.url).href`;
    const folder = `(import.meta.dirname + "/${fromOut(dirname(id))}")`;
    const moved = code.replaceAll("import.meta.url", url).replaceAll("import.meta.dirname", folder);
    // No line moves, so the places that the code has now are right.
    return { code: moved, map: null };
  },
};

/** One character beyond Latin-1 makes V8 keep the text of a whole file with two bytes for each: 6 MB more, as long as the bot runs. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === "asset") continue;
      if (/String\.raw`[^`]*[^ -~\t\n\r]/u.test(file.code))
        throw new Error("String.raw would show an escaped character");
      // No line moves.
      file.code = file.code.replaceAll(/[^ -~\t\n\r]/g, escaped);
    }
  },
};

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function fromOut(path: string): string {
  return relative(out, path).split(sep).join("/");
}

rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  input: { gantry: join(project, "src/bin/bundled.ts"), compile: join(project, "src/bin/compile.ts") },
  platform: "node",
  // Three megabytes that only the simulated Slack needs.
  external: ["amaro"],
  plugins: [beside, ascii],
});
await bundle.write({
  dir: out,
  format: "esm",
  keepNames: true,
  sourcemap: true,
  sourcemapExcludeSources: true,
  // Licences stay.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();
chmodSync(join(out, "gantry.js"), 0o755);
