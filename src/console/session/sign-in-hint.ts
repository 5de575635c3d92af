import { signal } from "@preact/signals";

/**
 * What the sign-in page shows after a password was set: the user's email, entered already, and what the API said. It is in
 * no address, since an email is the user's own.
 */
export const signInHint = signal<{ readonly email: string; readonly notice: string } | undefined>(undefined);
