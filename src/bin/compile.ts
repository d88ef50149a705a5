import { beginLoading, endLoading } from "../boot/loading.ts";

// For the image, so that already the first start of a container is quick: loads what a bot loads.
beginLoading();
await import("../run-gantry.ts");
await import("pg");
endLoading();
