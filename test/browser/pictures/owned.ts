import { service, type Shop, shop } from "./shop.ts";

const scaler = "the autoscaler payments-hpa sets its size. Change the autoscaler's limits, or remove it.";
const belongs = "it belongs to Helm release shop. Delete it there, or allow it with adopt.allow in SERVICE_CLUSTERS.";

/** A cluster in which others have a say about each workload. */
export function ownedShop(): Shop {
  return shop([
    service("payments", {
      managed_by: "Helm release shop",
      size_set_by: "autoscaler payments-hpa",
      refused_operations: [
        { operation: "deleteService", reason: `Gantry may not delete service payments: ${belongs}` },
        { operation: "stopService", reason: `Service payments can't be stopped: ${scaler}` },
        { operation: "updateService", part: "size", reason: `Service payments can't be scaled: ${scaler}` },
      ],
    }),
    service("checkout"),
  ]);
}
