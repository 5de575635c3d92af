import { cpus } from "node:os";
import { type BenchTable, toMarkdown } from "./table";

/**
 * `npm run bench -- mavlink http`: runs the named benchmarks one after another and prints their tables.
 * Each is a module beside this one that exports `run(): Promise<BenchTable>`. Exits with 1 when a goal is
 * missed or a benchmark fails; the others run all the same.
 */
async function main(names: readonly string[]): Promise<void> {
  if (names.length === 0) {
    console.error("Name the benchmarks to run, for example: npm run bench -- mavlink");
    process.exitCode = 2;
    return;
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown CPU"}\n`);
  for (const name of names) {
    try {
      const bench: { run(): Promise<BenchTable> } = require(modulePath(name));
      const table = await bench.run();
      console.log(toMarkdown(table));
      if (table.rows.some(({ met }) => !met)) process.exitCode = 1;
    } catch (error) {
      console.error(`${name} failed:`, error);
      process.exitCode = 1;
    }
  }
}

function modulePath(name: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`"${name}" is not a benchmark's name`);
  return `./${name}`;
}

void main(process.argv.slice(2));
