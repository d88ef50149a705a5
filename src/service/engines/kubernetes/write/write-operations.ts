import type { Engine } from "../../../engine.ts";
import { restartService, startService, stopService, updateService, deleteService } from "./change-service.ts";
import { createService } from "./create-service.ts";
import { jobWrites } from "./job-writes.ts";
import { onNewService, onService, type WriteParts } from "./target.ts";

type WriteOperations = Pick<
  Engine,
  | "createService"
  | "deleteService"
  | "updateService"
  | "startService"
  | "stopService"
  | "restartService"
  | "createJob"
  | "deleteJob"
>;

export function writeOperations(parts: WriteParts): WriteOperations {
  return {
    ...jobWrites(parts),
    createService: (request) => onNewService(parts, request, (target) => createService(target, request)),
    deleteService: (request) => onService(parts, request, deleteService),
    updateService: (request) => onService(parts, request, (target) => updateService(target, request)),
    startService: (request) => onService(parts, request, startService),
    stopService: (request) => onService(parts, request, stopService),
    restartService: (request) => onService(parts, request, restartService),
  };
}
