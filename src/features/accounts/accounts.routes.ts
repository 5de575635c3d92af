import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { ids, MailedToken, Message, type Route, route } from "../../http/route";
import { Credentials, Email, Password, TokenPairReply, toUserReply, UserReply } from "./accounts.schema";
import type { AccountsService } from "./accounts.service";

const bare = { tag: "Accounts", envelope: "B" } as const;
const wrapped = { tag: "Accounts", envelope: "A" } as const;
const mailed = { message: "A mail with a link is on its way." };
const EmailBody = z.object({ email: Email });
const PasswordBody = z.object({ password: Password });

export function accountRoutes(service: AccountsService, registrationEnabled: boolean): readonly Route[] {
  /** Refused before the request is read, in the bare form that clients know. */
  const registration = {
    admit: () => {
      if (!registrationEnabled)
        throw new DomainError("registration_disabled", "Registration is disabled here.");
    },
    errorBodies: { registration_disabled: (error: string) => ({ error }) },
  };

  return [
    route({
      ...bare,
      method: "post",
      path: "/login",
      summary: "Sign in with email and password",
      guard: "public",
      body: Credentials,
      success: { status: 200, schema: TokenPairReply },
      errorBodies: { invalid_credentials: (error, status) => [{ error }, status] },
      documents: {
        401: "Bad credentials. The body is a two-element array: `[{error}, 401]`.",
        429: "Too many failed tries, or too many logins at this moment.",
      },
      handle: ({ body, network }) => service.logIn(body.username, body.password, network),
    }),
    route({
      ...bare,
      method: "get",
      path: "/auth",
      summary: "Check the access token",
      guard: "user",
      success: { status: 200, schema: Message },
      handle: () => ({ message: "The token is valid." }),
    }),
    route({
      ...bare,
      method: "get",
      path: "/auth/refresh",
      summary: "Exchange a refresh token for a new pair",
      description: "The former tokens stay valid until they expire.",
      guard: "refresh",
      success: { status: 200, schema: TokenPairReply },
      handle: ({ caller }) => service.refresh(caller),
    }),
    route({
      ...bare,
      method: "delete",
      path: "/logout",
      summary: "Revoke this access token",
      description: "The refresh token stays valid.",
      guard: "user",
      success: { status: 200, schema: Message },
      handle: async ({ caller }) => {
        await service.logOut(caller);
        return { message: "Logged out." };
      },
    }),
    route({
      ...wrapped,
      method: "post",
      path: "/verify-email",
      summary: "Begin a registration: mail a link to this address",
      guard: "public",
      ...registration,
      body: EmailBody,
      success: { status: 200, schema: Message },
      documents: {
        403: "Registration is disabled: `{error}`.",
        429: "Too many mails to this address, or from this network.",
      },
      handle: async ({ body, network }) => {
        await service.sendVerification(body.email, network);
        return mailed;
      },
    }),
    route({
      ...wrapped,
      method: "post",
      path: "/register/:token",
      summary: "Finish a registration with the mailed token",
      guard: "token",
      ...registration,
      params: MailedToken,
      body: PasswordBody,
      success: { status: 200, schema: UserReply, message: "Registered. Sign in with the new password." },
      errors: { constraint_violated: 400 },
      documents: {
        403: "Registration is disabled: `{error}`.",
        429: "Too many registrations from this network, or too many people send passwords at this moment.",
      },
      handle: async ({ params, body, network }) =>
        toUserReply(await service.register(params.token, body.password, network)),
    }),
    route({
      ...bare,
      method: "post",
      path: "/activate/:user_id/:token",
      summary: "Activate a user that an administrator created",
      description: "Only these tokens contain the user's level (ADMIN or CUSTOMER).",
      guard: "token",
      params: ids("user_id").extend(MailedToken.shape),
      success: { status: 200, schema: TokenPairReply },
      documents: { 429: "Too many failed tries." },
      handle: ({ params, network }) => service.activate(params.user_id, params.token, network),
    }),
    route({
      ...wrapped,
      method: "post",
      path: "/reset-password",
      summary: "Mail a link for setting a new password",
      guard: "public",
      body: EmailBody,
      success: { status: 200, schema: Message },
      documents: {
        400: "No user has this email.",
        429: "Too many mails to this address, or from this network.",
      },
      handle: async ({ body, network }) => {
        await service.sendReset(body.email, network);
        return mailed;
      },
    }),
    route({
      ...wrapped,
      method: "post",
      path: "/update-password",
      summary: "Set the password with the token of a reset mail",
      guard: "reset",
      body: PasswordBody,
      success: { status: 200, schema: UserReply, message: "The password was updated." },
      documents: { 429: "Too many people send passwords at this moment." },
      handle: async ({ caller, body, network }) =>
        toUserReply(await service.updatePassword(caller, body.password, network)),
    }),
    route({
      ...wrapped,
      method: "get",
      path: "/user",
      summary: "The signed-in user",
      guard: "user",
      envelope: "A+top",
      success: { status: 200, schema: UserReply },
      documents: { 404: "The user does not exist any more." },
      handle: async ({ caller }) => toUserReply(await service.user(caller.id)),
    }),
  ];
}
