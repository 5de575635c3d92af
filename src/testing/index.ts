export { atEndOfFile } from "./clean-up";
export { type FreshDatabase, freshDatabase } from "./fresh-database";
export { freshFolder, freshMail, freshObjects, freshRedis, redisClient } from "./fresh-servers";
