import type { ContractCase, ContractWorld } from "../../testing/contract";

/** How the rows answer where no media server is configured; with one they are tried in `viewers.test.ts`. */

async function sitl({ api }: ContractWorld["user"]): Promise<number> {
  const { body } = await api.post("/drone", { type: "sitl", name: "Copter", vehicle_type: "copter" });
  return body.id;
}

const sdp = "v=0\r\n";
const path = "/video_room/:drone_id/viewers";

/** The requests about a viewer: their routes, and how each is sent. */
const ofViewer = [
  [`POST ${path}/:viewer/answer`, ({ api }, at) => api.post(`${at}/answer`, { sdp })],
  [`POST ${path}/:viewer/keepalive`, ({ api }, at) => api.post(`${at}/keepalive`)],
  [`DELETE ${path}/:viewer`, ({ api }, at) => api.delete(at)],
] as const satisfies readonly (readonly [
  string,
  (user: ContractWorld["user"], at: string) => ReturnType<ContractWorld["user"]["api"]["get"]>,
])[];

export const viewersContract: readonly ContractCase[] = [
  {
    route: `POST ${path}`,
    title: "answers 400, saying that there is no media server",
    run: async ({ user }) => {
      expect(await user.api.post(`/video_room/${await sitl(user)}/viewers`)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/JANUS_URL/) },
      });
    },
  },
  {
    route: `POST ${path}`,
    title: "answers 404 for another user's drone and for an invalid id",
    run: async ({ user, otherUser }) => {
      for (const named of [await sitl(otherUser), 2_000_000_000, "x"]) {
        const reply = await user.api.post(`/video_room/${named}/viewers`);
        expect(reply).toMatchObject({ status: 404, body: { error: expect.any(String) } });
      }
    },
  },
  ...ofViewer.map(([route, send]) => ({
    route,
    title: "answers 404 for a viewer that is none, and for another user's drone",
    run: async ({ user, otherUser }: ContractWorld) => {
      const [own, theirs] = [await sitl(user), await sitl(otherUser)];
      for (const at of [`/video_room/${own}/viewers/${user.token}`, `/video_room/${theirs}/viewers/x`]) {
        const reply = await send(user, at);
        expect(reply).toMatchObject({ status: 404, body: { error: expect.any(String) } });
      }
    },
  })),
  {
    route: `POST ${path}/:viewer/answer`,
    title: "answers an sdp that is missing, empty, no text or too long with 400, naming it",
    run: async ({ user }) => {
      const at = `/video_room/${await sitl(user)}/viewers/x/answer`;
      for (const wrong of [undefined, "", 1, "v".repeat(60_001)]) {
        const reply = await user.api.post(at, { sdp: wrong });
        expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("sdp") } });
      }
    },
  },
];
