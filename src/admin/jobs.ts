import { type JobRow, listJobs, retryDeadJobs } from "../platform/jobs/jobs";
import { type AdminCommand, withDatabase } from "./command";

export const command: AdminCommand = {
  usage: "jobs [retry ID…]",
  summary: "List the background jobs that are not done, dead ones first, or have dead ones tried again.",

  async run([action, ...ids]) {
    if (
      action !== undefined &&
      (action !== "retry" || ids.length === 0 || !ids.every((id) => /^\d+$/.test(id)))
    )
      throw new Error(`usage: admin ${command.usage}`);
    await withDatabase(async (db) => {
      if (action === "retry") {
        const retried = await retryDeadJobs(db, ids);
        process.stdout.write(retried.map((id) => `job ${id} is tried again\n`).join(""));
        const others = ids.filter((id) => !retried.includes(id));
        if (others.length > 0) throw new Error(`No dead job: ${others.join(", ")}.`);
        return;
      }
      const jobs = await listJobs(db);
      process.stdout.write(jobs.length > 0 ? jobs.map(line).join("") : "No job waits, runs or is dead.\n");
    });
  },
};

/** `17 dead send-report, attempt 12 of 12, due 2026-11-21T14:05:00.000Z: the mail server said no` */
const line = ({ id, state, task, attempts, max_attempts, run_at, last_error }: JobRow): string =>
  `${id} ${state} ${task}, attempt ${attempts} of ${max_attempts}, due ${run_at.toISOString()}${last_error ? `: ${last_error.replaceAll(/\s+/g, " ").slice(0, 300)}` : ""}\n`;
