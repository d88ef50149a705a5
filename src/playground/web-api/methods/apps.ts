import type { Methods } from "./method.ts";

export const apps: Methods = {
  "apps.connections.open": {
    isForApp: true,
    scopes: ["connections:write"],
    required: {},
    optional: {},
    run: (world) => ({ url: world.links.open() }),
  },
};
