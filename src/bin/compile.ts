import { beginLoading, endLoading } from "../bot/compose/entry.ts";

// For the image, so that already the first start of a container is quick: loads what a bot loads.
beginLoading();
await import("../bot/compose/run-gantry.ts");
await import("pg");
endLoading();
