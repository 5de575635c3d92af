import { io } from "socket.io-client";
import { WebSocket } from "ws";
import { createLogger } from "../../../../platform/process/log";
import { openRedis, type Redis } from "../../../../platform/redis/client";
import { atEndOfFile } from "../../../clean-up";
import { until } from "../../../until";
import type { Finding, FindingType, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";
import { ask, isStatus } from "./client";
import { type Repetition, repeatEvery } from "./repeat";

const EVERY_MS = 1_200;
/** After so long without an answer an attempt counts as neither admitted nor refused. */
const DECISION_LIMIT_MS = 3_000;
const HELLO_MS = 100;
const END_MS = 60_000;
/** A token's lifetime less a margin: afterwards it is refused because it has expired. */
const LIFE_MS = 9.5 * 60_000;

interface LogOutLoadOptions {
  readonly gateways: readonly string[];
  readonly relays: readonly string[];
  /** The refresh token of the drone's owner. */
  readonly refreshToken: string;
  readonly drone: { readonly id: number; readonly ip: string };
  readonly redisUrl: string;
  readonly round: Round;
  readonly progress: Progress;
}

interface LoggedOut {
  readonly token: string;
  readonly at: number;
}

/** undefined: no decision, as while the database is unavailable. */
type Admission = "admitted" | "refused" | undefined;

/** Logs in and out repeatedly at each gateway, and tries every endpoint with the logged-out tokens. */
export class LogOutLoad implements Load {
  readonly kind = "log-outs";
  private readonly loggedOut: LoggedOut[] = [];
  private readonly findings: Finding[] = [];
  private readonly repetitions: Repetition[];
  private readonly redis: Redis;

  constructor(private readonly options: LogOutLoadOptions) {
    const { gateways, drone, redisUrl, progress } = options;
    this.redis = openRedis(redisUrl, createLogger("test", "silent"));
    atEndOfFile(async () => this.redis.disconnect());
    this.repetitions = gateways.map((gateway) => {
      progress.expect("log-outs", gateway);
      return repeatEvery(EVERY_MS, () => this.signInAndOut(gateway));
    });
    // A message of the drone shows a pilot that the relay has accepted the session.
    const say = () => this.redis.publish(`${drone.ip}:output`, "hello").catch(() => undefined);
    this.repetitions.push(repeatEvery(HELLO_MS, say));
  }

  async stop(): Promise<void> {
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  private async signInAndOut(gateway: string): Promise<void> {
    const { gateways, refreshToken, progress } = this.options;
    const given = await ask(`${gateway}/api/v1/auth/refresh`, {
      method: "GET",
      headers: bearer(refreshToken),
    });
    if (isStatus(given, 401)) this.note("refused", `a refresh token at ${gateway}`);
    if (!isStatus(given, 200)) return;
    const token: string = given.body.access_token;
    for (const one of gateways)
      if ((await this.atApi(one, token)) === "refused") this.note("refused", `a new token at ${one}`);
    const answer = await ask(`${gateway}/api/v1/logout`, { method: "DELETE", headers: bearer(token) });
    if (isStatus(answer, 401)) this.note("refused", `a log-out at ${gateway}`);
    if (!isStatus(answer, 200)) return;
    const former = this.loggedOut[Math.floor(Math.random() * this.loggedOut.length)];
    this.loggedOut.push({ token, at: performance.now() });
    const refusals = await this.tryEverywhere(token, "just now");
    if (refusals.every((one) => one === "refused")) progress.success("log-outs", gateway);
    if (former)
      await this.tryEverywhere(former.token, `${Math.round((performance.now() - former.at) / 1_000)} s ago`);
  }

  private async tryEverywhere(token: string, since: string): Promise<Admission[]> {
    const { gateways, relays } = this.options;
    const tryOne = async (name: string, asked: Promise<Admission>) => {
      const admission = await asked;
      if (admission === "admitted") this.note("admitted", `a token logged out ${since}, at ${name}`);
      return admission;
    };
    return Promise.all([
      ...gateways.map((one) => tryOne(`the API of ${one}`, this.atApi(one, token))),
      ...gateways.map((one) => tryOne(`Socket.IO of ${one}`, atSocket(one, token))),
      ...relays.map((one) => tryOne(one, this.atRelay(one, token))),
    ]);
  }

  private async atApi(gateway: string, token: string): Promise<Admission> {
    const answer = await ask(`${gateway}/api/v1/auth`, { method: "GET", headers: bearer(token) });
    if (isStatus(answer, 200)) return "admitted";
    return isStatus(answer, 401) ? "refused" : undefined;
  }

  private atRelay(relay: string, token: string): Promise<Admission> {
    const url = `${relay}/redispad/${this.options.drone.id}?access_token=${token}`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    return answerOf((say) => {
      socket.on("message", () => say("admitted"));
      socket.on("close", (code) => say(code === LOGGED_OUT ? "refused" : undefined));
      socket.on("error", () => say(undefined));
      return () => socket.terminate();
    });
  }

  async result(): Promise<LoadResult> {
    const alive = this.loggedOut.filter(({ at }) => performance.now() - at < LIFE_MS);
    for (const { token } of alive) await this.tryEveryGateway(token);
    return { acknowledged: this.loggedOut.length, findings: this.findings };
  }

  /** After the last fault, when every gateway can decide. */
  private async tryEveryGateway(token: string): Promise<void> {
    for (const gateway of this.options.gateways) {
      const admission = await until(async () => (await this.atApi(gateway, token)) ?? false, END_MS);
      if (admission === "admitted")
        this.note("admitted", `a token logged out before, at ${gateway} in the end`);
    }
  }

  private note(type: FindingType, detail: string): void {
    this.findings.push({ load: "log-outs", type, round: this.options.round.current, detail });
  }
}

/** The relay's close code. */
const LOGGED_OUT = 4401;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function atSocket(gateway: string, token: string): Promise<Admission> {
  const socket = io(gateway, {
    query: { token },
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
  });
  return answerOf((say) => {
    socket.on("connected", () => say("admitted"));
    socket.on("error", ({ message }) => say(message.includes("logged out") ? "refused" : undefined));
    socket.on("connect_error", () => say(undefined));
    return () => socket.disconnect();
  });
}

/** The first decision, or undefined after the limit. `listen` returns the function that closes the connection. */
async function answerOf(listen: (say: (admission: Admission) => void) => () => void): Promise<Admission> {
  let late: NodeJS.Timeout | undefined;
  let end = () => {};
  const answer = await new Promise<Admission>((resolve) => {
    late = setTimeout(() => resolve(undefined), DECISION_LIMIT_MS);
    end = listen(resolve);
  });
  clearTimeout(late);
  end();
  return answer;
}
