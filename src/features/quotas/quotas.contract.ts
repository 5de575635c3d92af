import { orderQuotaKey } from "../../platform/quotas/quotas";
import type { ContractCase } from "../../testing/contract";

export const quotasContract: readonly ContractCase[] = [
  {
    route: "GET /user/quotas",
    title: "answers 200 with the use of the user and of each live drone, and nothing of other users",
    run: async ({ user, otherUser, gateway }) => {
      const sitl = { type: "sitl", name: "Copter", vehicle_type: "copter" };
      const { id } = (await user.api.post("/drone", sitl)).body;
      await otherUser.api.post("/drone", sitl);
      await gateway.deps.quotas.take("orders", orderQuotaKey(user.id, id));
      const { status, body } = await user.api.get("/user/quotas");
      expect(status).toBe(200);
      const rows: { quota: string; drone_id: number | null; used: number; limit: number }[] = body.data;
      expect(rows.find(({ quota }) => quota === "stored_bytes")).toMatchObject({
        ...{ drone_id: null, used: 0, limit: 50_000_000_000, seconds: null },
      });
      expect(rows.find(({ quota }) => quota === "orders")).toMatchObject({
        ...{ drone_id: id, used: 1, limit: 600, seconds: 60 },
      });
      expect(rows.find(({ quota }) => quota === "jobs")).toMatchObject({ used: 0, waiting: 0, limit: 1 });
      expect(new Set(rows.map(({ drone_id }) => drone_id))).toEqual(new Set([null, id]));
    },
  },
];
