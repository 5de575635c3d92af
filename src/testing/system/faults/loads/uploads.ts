import { randomBytes } from "node:crypto";
import sharp from "sharp";
import type { MailSink } from "../../../../laptop/servers/mail";
import type { Db } from "../../../../platform/postgres/db";
import { sha256 } from "../../../worlds/uploads";
import type { Finding, FindingType, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";
import { type Answer, ask, isStatus, type Reply } from "./client";
import { finished, repeatEvery } from "./repeat";

/** Each flight gives the workers a picture and a report; a shorter period would keep them busy. */
const EVERY_MS = 4_000;

interface UploadLoadOptions {
  /** The gateways' drone-only ports. */
  readonly gateways: readonly string[];
  readonly edgeSecret: string;
  /** One per gateway, through which it flies and uploads. */
  readonly drones: readonly { readonly id: number; readonly ip: string }[];
  readonly db: Db;
  readonly storeUrl: string;
  readonly mail: MailSink;
  readonly round: Round;
  readonly progress: Progress;
}

/** One flight: start, upload of a picture, end. Each step is repeated until it succeeds. */
interface Flight {
  readonly round: number;
  readonly picture: Buffer;
  execution: number | undefined;
  asset: number | undefined;
  step: "begin" | "authenticate" | "put" | "complete" | "end" | "over";
  url: string;
}

/** Drones that fly and bring back a picture each time; its thumbnail and the report are jobs. */
export class UploadLoad implements Load {
  readonly kind = "uploads";
  private readonly flights: Flight[] = [];
  private readonly repetitions;
  private readonly findings: Finding[] = [];
  private readonly watch: NodeJS.Timeout;
  /** The round that each mail came in. */
  private readonly mailRounds: number[] = [];
  private stopping = false;

  constructor(private readonly options: UploadLoadOptions) {
    const { gateways, drones, progress } = options;
    progress.expect("jobs", "workers");
    this.watch = setInterval(() => this.countMails(), 50).unref();
    this.repetitions = gateways.map((url, at) => {
      const { ip } = drones[at] as (typeof drones)[number];
      progress.expect("uploads", url);
      let flight: Flight | undefined;
      return repeatEvery(EVERY_MS, async () => {
        if (!flight || flight.step === "over") {
          if (this.stopping) return;
          flight = await this.newFlight();
        }
        await this.fly(flight, url, ip);
      });
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const areOver = () => this.flights.every(({ step }) => step === "over");
    await finished("the end of every flight", areOver);
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  private countMails(): void {
    const { mail, progress, round } = this.options;
    if (mail.mails.length > this.mailRounds.length) progress.success("jobs", "workers");
    while (this.mailRounds.length < mail.mails.length) this.mailRounds.push(round.current);
  }

  private async newFlight(): Promise<Flight> {
    const raw = { width: 48, height: 48, channels: 3 } as const;
    const picture = await sharp(randomBytes(raw.width * raw.height * raw.channels), { raw })
      .png()
      .toBuffer();
    const round = this.options.round.current;
    const flight: Flight = {
      ...{ round, picture, execution: undefined, asset: undefined },
      ...{ step: "begin", url: "" },
    };
    this.flights.push(flight);
    return flight;
  }

  /** As many steps as succeed; the next call goes on where this one ended. */
  private async fly(flight: Flight, gateway: string, ip: string): Promise<void> {
    const headers = { "x-drone-ip": ip, "x-edge-secret": this.options.edgeSecret };
    const post = (path: string, body: object) => ask(`${gateway}/api/v1${path}`, { headers, body });
    if (flight.step === "begin") {
      const answer = await post("/executions/start", {});
      if (!isWell(answer)) return;
      flight.execution = answer.body.data?.id ?? answer.body.id;
      flight.step = "authenticate";
    }
    if (flight.step === "authenticate") {
      const answer = await post("/authenticate_upload", {
        file_name: `${sha256(flight.picture).slice(0, 12)}.png`,
        asset_type: "image",
        checksum: sha256(flight.picture),
        size: flight.picture.length,
        execution_id: flight.execution,
      });
      if (!isWell(answer)) return;
      flight.asset = answer.body.asset_id;
      flight.url = answer.body.url;
      flight.step = "put";
    }
    if (flight.step === "put") {
      const answer = await ask(flight.url, { method: "PUT", body: new Uint8Array(flight.picture) });
      if (!isStatus(answer, 200)) return;
      flight.step = "complete";
    }
    if (flight.step === "complete") {
      const answer = await post("/complete_upload", { asset_id: flight.asset });
      if (isStatus(answer, 400)) {
        // The store had taken it.
        this.note("lost", flight, `asset ${flight.asset}: ${answer.body.error?.message}`);
        flight.step = "put";
      }
      if (!isWell(answer)) return;
      this.options.progress.success("uploads", gateway);
      flight.step = "end";
    }
    const answer = await post(`/executions/${flight.execution}/complete`, { status: "completed" });
    if (isWell(answer)) flight.step = "over";
  }

  async result(): Promise<LoadResult> {
    const { db, drones } = this.options;
    const completed = this.flights.filter(({ step }) => step === "end" || step === "over");
    for (const flight of completed) {
      const fault = await this.faultOf(flight);
      if (fault) this.note("lost", flight, fault);
    }
    for (const flight of this.flights.filter(({ asset }) => asset !== undefined)) {
      const same = await db("assets").where({ checksum: sha256(flight.picture) });
      if (same.length > 1) this.note("duplicated", flight, `${same.length} assets of one picture`);
    }
    const ids = drones.map(({ id }) => id);
    const begun: number[] = await db("executions").whereIn("drone_id", ids).pluck("id");
    const known = new Set(this.flights.map(({ execution }) => execution));
    for (const id of begun.filter((one) => !known.has(one))) {
      this.findings.push({
        load: "uploads",
        type: "duplicated",
        round: 0,
        detail: `execution ${id} is nobody's`,
      });
    }
    return { acknowledged: completed.length, findings: this.findings };
  }

  private note(type: FindingType, { round }: Flight, detail: string): void {
    this.findings.push({ load: "uploads", type, round, detail });
  }

  private async faultOf({ asset, picture }: Flight): Promise<string | undefined> {
    const { db, storeUrl } = this.options;
    const row = await db("assets").where({ id: asset }).first();
    if (row?.status !== "ready" || row.sha256 !== sha256(picture)) return `asset ${asset} is ${row?.status}`;
    // The laptop's store lets anyone read.
    const key = `assets/${row.drone_id}/${row.id}/${row.file_name}`;
    const response = await fetch(`${storeUrl}/fleet/${key}`);
    const stored = Buffer.from(await response.arrayBuffer());
    return stored.equals(picture) ? undefined : `the store has other bytes of asset ${asset}`;
  }

  /** The workers' results: a report for each ended flight, and a thumbnail for each picture. */
  async jobsResult(): Promise<LoadResult> {
    clearInterval(this.watch);
    this.countMails();
    const { db, mail } = this.options;
    const ended = this.flights.filter(({ step }) => step === "over");
    const findings: Finding[] = [];
    for (const { execution, asset, round: begun } of ended) {
      const note = (type: "lost" | "duplicated", detail: string, round = begun) =>
        findings.push({ load: "jobs", type, round, detail });
      const page = `/executions/${execution}`;
      // Copies of one Message-ID are one mail: a worker that dies before its record sends the mail again.
      const rounds = new Map(
        mail.mails.flatMap(({ links, messageId }, at) =>
          links.some((link) => link.endsWith(page)) ? [[messageId, this.mailRounds[at]]] : [],
        ),
      );
      if (rounds.size === 0) note("lost", `no report of execution ${execution}`);
      if (rounds.size > 1)
        note("duplicated", `${rounds.size} reports of execution ${execution}`, [...rounds.values()].at(-1));
      const row = await db("assets").where({ id: asset }).first();
      if (!row?.thumbnail) note("lost", `no thumbnail of asset ${asset}`);
    }
    return { acknowledged: ended.length * 2, findings };
  }
}

const isWell = (answer: Answer): answer is Reply => isStatus(answer, 200) && answer.body.success !== false;
