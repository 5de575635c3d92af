import { z } from "zod";
import { BodyId } from "../../http/route";
import type { FenceUpload } from "../../vehicle";
import { type Geofence, toFence } from "../../vehicle";
import { type Action, type ActionResult, action, type Order } from "./action";
import { UploadedFence } from "./actions.schema";

/** Put geofences on a drone. Each replaces the whole fence that was there. */
export const fenceActions: readonly Action[] = [
  action({
    path: "push_geofence",
    summary: "Upload one geofence",
    description:
      "The geofence replaces the drone's fence. A geofence that is switched off is uploaded all the same.",
    body: z.object({ geofence_id: BodyId }),
    result: UploadedFence,
    async run(order, { geofence_id }) {
      const geofence = await order.plans.geofence(geofence_id);
      // Naming it is the pilot's word that it counts, and an empty upload would take the old fence away.
      return replaceFence(order, [{ ...geofence, enabled: true }]);
    },
  }),
  action({
    path: "clear_fence",
    summary: "Clear the fence",
    body: z.object({}),
    result: UploadedFence,
    run: (order) => replaceFence(order, []),
  }),
  action({
    path: "sync_geofences",
    summary: "Replace the fence by all enabled geofences",
    description: "With none enabled the drone's fence is cleared.",
    body: z.object({}),
    result: UploadedFence,
    run: async (order) => replaceFence(order, await order.plans.enabledGeofences()),
  }),
];

async function replaceFence(
  order: Order,
  geofences: readonly Geofence[],
): Promise<ActionResult<z.input<typeof UploadedFence>>> {
  const fence = toFence(geofences);
  const uploaded = await order.onLink((link) => link.uploadFence(fence));
  return {
    message: fenceMessage(uploaded),
    result: {
      geofences: geofences.length,
      ...uploaded,
    },
  };
}

function fenceMessage({ items, enforcement: { active, params } }: FenceUpload): string {
  if (items === 0) return "The drone's fence is cleared.";
  const uploaded = `The fence is on the drone: ${items} items, read back and compared.`;
  if (active) return uploaded;
  const settings = params.map(({ param_id, value }) => `${param_id} = ${value}`).join(", ");
  return `${uploaded} The drone will not act on it as it is set${settings ? ` (${settings})` : ""}.`;
}
