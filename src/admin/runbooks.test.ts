import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import knex from "knex";
import { packageRoot } from "../platform/process/version";
import { freshDatabase } from "../testing";
import { runAdmin } from "../testing/programs/run-admin";

const folder = join(packageRoot, "docs/runbooks");
const pages = readdirSync(folder).filter((name) => name !== "README.md");
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");

const admin = (url: string, ...args: string[]) => runAdmin({ DATABASE_URL: url }, ...args);

test("prints the rows of a statement, how many it changed, and what is wrong with it", async () => {
  const { url } = await freshDatabase();
  expect((await admin(url, "sql", "SELECT 1 AS one, 'a' AS letter")).stdout).toMatch(/one.*letter.*1.*'a'/s);
  expect((await admin(url, "sql", "UPDATE users SET level = level")).stdout).toBe("UPDATE: 0 rows\n");
  const marks = await admin(url, "sql", `SELECT '{"a": 1}'::jsonb ? 'a' AS has; SELECT 'b?' AS mark`);
  expect(marks.stdout).toMatch(/has.*true.*mark.*'b\?'/s);
  await expect(admin(url, "sql", "SELECT nothing")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('column "nothing" does not exist'),
  });
  await expect(admin(url, "sql")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("usage"),
  });
});

test("every statement of the runbooks runs in the service's database", async () => {
  const { url } = await freshDatabase();
  const role = `tunnel_${process.pid}_${Date.now()}`;
  const ours = knex({ client: "pg", connection: url, pool: { min: 0, max: 1 } });
  await ours.raw(`CREATE ROLE ${role}`);
  try {
    const statements = pages.flatMap((page) =>
      [...textOf(page).matchAll(/admin\.js sql "([^"]+)"/g)].map(([, sql = ""]) => sql),
    );
    expect(statements.length).toBeGreaterThan(5);
    for (const statement of statements) await ours.raw(statement.replaceAll("fleet_tunnel", role));
  } finally {
    await ours.raw(`DROP OWNED BY ${role}`);
    await ours.raw(`DROP ROLE ${role}`);
    await ours.destroy();
  }
});

test.each(pages)("%s begins with what is seen and a command, and is in the index by symptom", (page) => {
  const [heading = "", symptom = "", ...rest] = textOf(page).split("\n\n");
  expect(heading).toMatch(/^# Fleet[A-Za-z]+$/);
  expect(symptom).toMatch(/^[A-Z][^#`]/);
  // One paragraph may stand between the symptom and the command.
  expect(rest.slice(0, 2).some((block) => /^```sh\nkubectl /.test(block))).toBe(true);
  expect(textOf("README.md")).toMatch(new RegExp(`^\\| .* \\|.*\\]\\(${page.replace(".", "\\.")}\\)`, "m"));
});

test("logs are asked for with their pods and since a time", () => {
  const asked = [...pages, "README.md"].flatMap((page) => textOf(page).match(/kubectl logs .*/g) ?? []);
  expect(asked.length).toBeGreaterThan(9);
  for (const command of asked) expect(command).toMatch(/--prefix .*--tail=|--previous/);
});
