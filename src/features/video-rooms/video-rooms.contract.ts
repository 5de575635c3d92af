import type { ContractCase, ContractWorld } from "../../testing/contract";

/** How the rows answer where no media server is configured; with one they are tried in `video-rooms.test.ts`. */
const refusal = { error: expect.stringMatching(/JANUS_URL/) };

async function sitl({ api }: ContractWorld["user"]) {
  const { body } = await api.post("/drone", { type: "sitl", name: "Copter", vehicle_type: "copter" });
  return body as { id: number; video_room_token: string };
}

const refuses = (what: "start" | "stop" | "restart"): readonly ContractCase[] => [
  {
    route: `GET /video_room/:drone_id/${what}`,
    title: "answers 400, saying that there is no media server",
    run: async ({ user }) => {
      const { id } = await sitl(user);
      expect(await user.api.get(`/video_room/${id}/${what}`)).toMatchObject({ status: 400, body: refusal });
    },
  },
  {
    route: `GET /video_room/:drone_id/${what}`,
    title: "answers 404 for another user's drone and for an invalid id",
    run: async ({ user, otherUser }) => {
      const { id } = await sitl(otherUser);
      for (const named of [id, 2_000_000_000, "x", "-1", "99999999999"]) {
        const reply = await user.api.get(`/video_room/${named}/${what}`);
        expect(reply).toMatchObject({ status: 404, body: { error: expect.any(String) } });
      }
    },
  },
];

export const videoRoomsContract: readonly ContractCase[] = [
  ...refuses("start"),
  ...refuses("stop"),
  ...refuses("restart"),
  {
    route: "GET /video_room/:drone_id/start",
    title: "answers an update that is given twice or is too long with 400",
    run: async ({ user }) => {
      const { id } = await sitl(user);
      for (const query of ["update=1&update=2", `update=${"1".repeat(21)}`]) {
        expect(await user.api.get(`/video_room/${id}/start?${query}`)).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining("update") },
        });
      }
    },
  },
  {
    route: "POST /video_room",
    title: "answers 402 without an Authorization header, whatever else is wrong",
    run: async ({ anonymous }) => {
      for (const body of [{ room_number: 1 }, {}, "{"]) {
        const reply = await anonymous.post("/video_room", body);
        expect(reply).toMatchObject({ status: 402, body: { error: expect.any(String) } });
      }
    },
  },
  {
    route: "POST /video_room",
    title: "answers 400 when the token is a user's, another drone's, an old one or nonsense",
    run: async ({ anonymous, user, otherUser, gateway }) => {
      const [mine, theirs] = [await sitl(user), await sitl(otherUser)];
      await gateway.deps.db("drones").where({ id: theirs.id }).update({ video_room_token: null });
      for (const token of [user.token, mine.video_room_token, theirs.video_room_token, "nonsense"]) {
        const reply = await anonymous.as(token).post("/video_room", { room_number: theirs.id });
        expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(/token/) } });
      }
    },
  },
  {
    route: "POST /video_room",
    title: "answers a room_number that is missing or no id with 400, naming it",
    run: async ({ anonymous, user }) => {
      const drone = anonymous.as((await sitl(user)).video_room_token);
      for (const room_number of [undefined, null, "one", -1, 1.5, 1e12, {}, [1]]) {
        const reply = await drone.post("/video_room", { room_number });
        expect(reply).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining("room_number") },
        });
      }
    },
  },
];
