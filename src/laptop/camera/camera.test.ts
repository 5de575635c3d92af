import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { atEndOfFile, freshFolder } from "../../testing";
import { freshJanus } from "../../testing/fresh-servers";
import { compiledPrograms } from "../../testing/programs/programs";
import { until } from "../../testing/until";
import { JanusRooms } from "../../testing/worlds/janus-rooms";
import { endCamera } from ".";

const room = { room_number: 7, room_password: "a pin", room_mgmt_token: "a secret" };
const folder = freshFolder("camera");
let janus: Awaited<ReturnType<typeof freshJanus>>;
let rooms: JanusRooms;
let owner: ChildProcess;
let program: string;

beforeAll(async () => {
  program = join(compiledPrograms(), "cmd/camera.js");
  janus = await freshJanus();
  rooms = new JanusRooms(janus);
  owner = spawn("sleep", ["600"]);
  atEndOfFile(async () => void owner.kill());
});
beforeEach(() => makeRoom());
afterEach(() => endCamera(folder));

const makeRoom = ({ room_number, room_password: pin, room_mgmt_token: secret } = room) =>
  rooms.ask({ request: "create", room: room_number, pin, secret, publishers: 1, videocodec: "h264" });

/** As the agent on board runs its command. */
async function tell(topic: string, message: object): Promise<void> {
  const told = promisify(execFile)(process.execPath, [program], {
    env: {
      ...process.env,
      VIDEO_TOPIC: topic,
      CAMERA_FOLDER: folder,
      CAMERA_OWNER_PID: String(owner.pid),
      JANUS_URL: janus.url,
      JANUS_API_SECRET: janus.apiSecret,
    },
  });
  told.child.stdin?.end(JSON.stringify(message));
  await told;
}
const start = async (details = room) => {
  await tell("video_room_details", { ...details, status: "START" });
  await tell("video_room_state", { room_number: details.room_number, status: "START" });
};

const publishers = async (number = room.room_number): Promise<number[]> => {
  const { participants = [] } = await rooms.ask({ request: "listparticipants", room: number });
  return participants
    .filter((one: { publisher: boolean }) => one.publisher)
    .map(({ id }: { id: number }) => id);
};
const untilSending = (number?: number) => until(async () => (await publishers(number)).length === 1);
const untilGone = () => until(async () => !existsSync(join(folder, "camera.pid")) || pid() === undefined);
/** Of the stream, while it runs. */
function pid(): number | undefined {
  const found = Number.parseInt(readFileSync(join(folder, "camera.pid"), "utf8"), 10);
  return existsSync(`/proc/${found}/cmdline`) ? found : undefined;
}

test("the camera sends from START to STOP", async () => {
  await tell("video_room_details", { ...room, status: "START" });
  expect(existsSync(join(folder, "camera.pid"))).toBe(false);
  await tell("video_room_state", { room_number: 7, status: "START" });
  await untilSending();
  await tell("video_room_state", { room_number: 7, status: "STOP" });
  expect(await publishers()).toEqual([]);
  expect(existsSync(join(folder, "camera.pid"))).toBe(false);
});

test("another source and a second START change nothing for viewers: the same publisher goes on", async () => {
  await start();
  await untilSending();
  const before = { publishers: await publishers(), pid: pid() };
  await tell("video_source", { source: "TEST" });
  await start();
  expect({ publishers: await publishers(), pid: pid() }).toEqual(before);
});

test("a new room is entered, and the camera leaves the old one", async () => {
  const other = { room_number: 8, room_password: "another pin", room_mgmt_token: "another secret" };
  await makeRoom(other);
  await start();
  await untilSending();
  await tell("video_room_details", { ...other, status: "START" });
  await untilSending(8);
  expect(await publishers()).toEqual([]);
});

test("a camera that was killed does not keep the place of the next one", async () => {
  await start();
  await untilSending();
  const [killed] = await publishers();
  process.kill(pid() as number, "SIGKILL");
  await untilGone();
  await start();
  await until(async () => (await publishers()).some((id) => id !== killed));
});

test("the camera ends with the room", async () => {
  await start();
  await untilSending();
  await rooms.ask({ request: "destroy", room: 7, secret: room.room_mgmt_token });
  await untilGone();
  expect(readFileSync(join(folder, "camera.log"), "utf8")).toMatch(/The room has ended/);
});

test("the camera ends with the process that it belongs to", async () => {
  await start();
  await untilSending();
  owner.kill("SIGKILL");
  await untilGone();
});

test("a message of another kind is refused", async () => {
  await expect(tell("video_source", { source: "MAIN" })).rejects.toThrow(/Invalid option/);
  await expect(tell("gamepad_input", {})).rejects.toThrow(/no topic/);
});
