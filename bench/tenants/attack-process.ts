import { setPriority } from "node:os";
import { answer } from "../relay/child";
import { runAttack } from "./attacks";

// The attacks come from elsewhere: they must not take the CPU of the servers.
setPriority(19);

answer({ run: runAttack });
