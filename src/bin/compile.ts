import { beginLoading, endLoading } from "../boot/loading.ts";

// For the image, in which the bot can't save what it compiled: loads what a bot loads.
beginLoading();
await import("../run-gantry.ts");
await import("pg");
endLoading();
