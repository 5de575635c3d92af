import { createSecretKey } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import jwt from "jsonwebtoken";
import pg from "pg";
import { reportToParent } from "./child";

/** The same token check and the same reads with nothing around them: what the machine can do at most. */
const key = createSecretKey(Buffer.from(process.env.JWT_SECRET as string));
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

const missions = {
  name: "missions",
  text: `
    SELECT mission.id, mission.name,
      coalesce(
        (SELECT json_agg(point ORDER BY point.sequence, point.id)
          FROM (
            SELECT id, mission_id, lat, lng, altitude, type, sequence, label, frame, command, is_current,
              autocontinue, param1, param2, param3, param4
            FROM mission_points WHERE mission_id = mission.id
          ) AS point),
        '[]'
      ) AS mission_points
    FROM missions AS mission WHERE mission.user_id = $1 ORDER BY mission.id`,
};

const drones = {
  name: "drones",
  text: `
    SELECT id, user_id, name, type, vehicle_type, mission_id, ip, port, link, link_host, video_room_token,
      created_at, updated_at
    FROM drones WHERE deleted_at IS NULL AND user_id = $1 ORDER BY id`,
};

/** The gateway answers lists of drones with 201. */
const answers: Record<string, { query: typeof missions; status: number }> = {
  "/api/v1/missions": { query: missions, status: 200 },
  "/api/v1/drones": { query: drones, status: 201 },
};

const server = createServer(async (request, response) => {
  try {
    const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
    const { sub } = jwt.verify(token, key, { algorithms: ["HS256"] });
    const { query, status } = answers[request.url ?? ""] as (typeof answers)[string];
    const { rows } = await pool.query({ ...query, values: [Number(sub)] });
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(rows));
  } catch {
    response.writeHead(401).end();
  }
});

server.listen(0, "127.0.0.1", () =>
  reportToParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`),
);
