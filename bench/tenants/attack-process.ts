import { setPriority } from "node:os";
import { answer } from "../relay/child";
import { prepareAttack, runAttack } from "./attacks";
import type { Tenant } from "./world";

// The attacks come from elsewhere: they must not take the CPU of the servers.
setPriority(19);

let prepared: ReturnType<typeof prepareAttack>;

answer({
  prepare: async (name: string, tenant: Tenant) => {
    prepared = prepareAttack(name, tenant);
    await prepared;
  },
  run: async (ms: number) => runAttack(await prepared, ms),
});
