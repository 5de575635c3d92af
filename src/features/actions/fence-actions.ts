import { z } from "zod";
import { BodyId } from "../../http/route";
import type { FenceUpload } from "../../vehicle";
import { type Geofence, toFence } from "../../vehicle";
import { type Action, type ActionResult, action, joinSentences, type Order, warningText } from "./action";
import { UploadedFence } from "./actions.schema";

const Force = z
  .boolean()
  .default(false)
  .describe("Upload it even when the armed drone is outside of it, which triggers its failsafe at once.");
const REFUSED_OUTSIDE =
  "An armed drone that is outside of the new fence refuses it unless `force` is true. A fence that the vehicle refuses is named by its row, and the fence before it is put back.";

/** Put geofences on a drone. Each replaces the whole fence that was there. */
export const fenceActions: readonly Action[] = [
  action({
    path: "push_geofence",
    summary: "Upload one geofence",
    description: `The geofence replaces the drone's fence. A geofence that is switched off is uploaded all the same. ${REFUSED_OUTSIDE}`,
    body: z.object({ geofence_id: BodyId, force: Force }),
    result: UploadedFence,
    async run(order, { geofence_id, force }) {
      const geofence = await order.plans.geofence(geofence_id);
      // Naming it is the pilot's word that it counts, and an empty upload would take the old fence away.
      return replaceFence(order, [{ ...geofence, enabled: true }], force);
    },
  }),
  action({
    path: "clear_fence",
    summary: "Clear the fence",
    body: z.object({}),
    result: UploadedFence,
    run: (order) => replaceFence(order, [], false),
  }),
  action({
    path: "sync_geofences",
    summary: "Replace the fence by all enabled geofences",
    description: `With none enabled the drone's fence is cleared. ${REFUSED_OUTSIDE}`,
    body: z.object({ force: Force }),
    result: UploadedFence,
    run: async (order, { force }) => replaceFence(order, await order.plans.enabledGeofences(), force),
  }),
];

async function replaceFence(
  order: Order,
  geofences: readonly Geofence[],
  force: boolean,
): Promise<ActionResult<z.input<typeof UploadedFence>>> {
  const fence = toFence(geofences);
  const uploaded = await order.onLink((link) => link.uploadFence(fence, { force }));
  return {
    message: fenceMessage(uploaded),
    result: {
      geofences: geofences.length,
      ...uploaded,
    },
  };
}

function fenceMessage({ items, enforcement: { active, params }, warnings }: FenceUpload): string {
  if (items === 0) return "The drone's fence is cleared.";
  const settings = params.map(({ param_id, value }) => `${param_id} = ${value}`).join(", ");
  return joinSentences(
    `The fence is on the drone: ${items} items, read back and compared.`,
    !active && `The drone will not act on it as it is set${settings ? ` (${settings})` : ""}.`,
    warningText(warnings),
  );
}
