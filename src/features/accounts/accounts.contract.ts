import type { ContractCase, ContractWorld } from "../../testing/contract";

/** The first link of the newest mail to this address; the reply comes only when the mail server has it. */
function mailedLink({ gateway }: ContractWorld, to: string): URL {
  const mail = gateway.mail.mails.findLast((seen) => seen.to.includes(to));
  return new URL(mail?.links[0] ?? "");
}

const mailedToken = (world: ContractWorld, to: string) =>
  mailedLink(world, to).searchParams.get("token") as string;

const newAddress = () => `new-${Math.random().toString(36).slice(2)}@example.com`;

export const accountsContract: readonly ContractCase[] = [
  {
    route: "POST /login",
    title: "answers 200 with a token pair that opens a guarded route",
    run: async ({ anonymous, user }) => {
      const reply = await anonymous.post("/login", { username: user.username, password: user.password });
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.body).sort()).toEqual(["access_token", "refresh_token"]);
      expect((await anonymous.as(reply.body.access_token).get("/auth")).status).toBe(200);
    },
  },
  {
    route: "POST /login",
    title: "answers bad credentials with 401 and a two-element array",
    run: async ({ anonymous, user }) => {
      const reply = await anonymous.post("/login", { username: user.username, password: "not the password" });
      expect(reply.status).toBe(401);
      expect(reply.body).toEqual([{ error: expect.any(String) }, 401]);
      const unknown = await anonymous.post("/login", { username: newAddress(), password: "whatever it is" });
      expect(unknown.body).toEqual(reply.body);
    },
  },
  {
    route: "GET /auth",
    title: "answers 200 with a message for an access token and 401 for none, a refresh token or a forged one",
    run: async ({ anonymous, user, gateway }) => {
      const reply = await user.api.get("/auth");
      expect(reply).toMatchObject({ status: 200, body: { message: expect.any(String) } });
      const { refresh_token } = gateway.features.account.tokens.pair(user.id);
      for (const token of [undefined, refresh_token, `${user.token}x`, "nonsense"]) {
        const refused = await anonymous.as(token).get("/auth");
        expect(refused).toMatchObject({ status: 401, body: { error: expect.any(String) } });
      }
    },
  },
  {
    route: "GET /auth/refresh",
    title: "trades a refresh token for a new pair without a level, and takes no access token",
    run: async ({ anonymous, user, gateway }) => {
      const { refresh_token } = gateway.features.account.tokens.pair(user.id, { level: "ADMIN" });
      const reply = await anonymous.as(refresh_token).get("/auth/refresh");
      expect(reply.status).toBe(200);
      const claims = JSON.parse(Buffer.from(reply.body.access_token.split(".")[1], "base64url").toString());
      expect(claims).toEqual({
        sub: user.id,
        type: "access",
        jti: expect.any(String),
        iat: expect.any(Number),
        exp: claims.iat + 600,
        password_at: expect.any(Number),
      });
      expect((await user.api.get("/auth/refresh")).status).toBe(401);
    },
  },
  {
    route: "DELETE /logout",
    title: "revokes this access token and leaves the refresh token",
    run: async ({ anonymous, user, gateway }) => {
      const pair = gateway.features.account.tokens.pair(user.id);
      const signedIn = anonymous.as(pair.access_token);
      expect(await signedIn.delete("/logout")).toMatchObject({
        status: 200,
        body: { message: expect.any(String) },
      });
      expect((await signedIn.get("/auth")).status).toBe(401);
      expect((await anonymous.as(pair.refresh_token).get("/auth/refresh")).status).toBe(200);
    },
  },
  {
    route: "POST /verify-email",
    title: "mails a link with verify=true and answers in envelope A with data.message",
    run: async (world) => {
      const email = newAddress();
      const reply = await world.anonymous.post("/verify-email", { email });
      expect(reply).toMatchObject({
        status: 200,
        body: { success: true, data: { message: expect.any(String) } },
      });
      expect(mailedLink(world, email).href).toMatch(/\/reset-password\?token=[^&]+&verify=true$/);
    },
  },
  {
    route: "POST /verify-email",
    title: "answers 400 for an invalid email and for a user who exists",
    run: async ({ anonymous, user }) => {
      for (const email of ["not an email", user.username, user.username.toUpperCase()]) {
        const reply = await anonymous.post("/verify-email", { email });
        expect(reply).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
      }
    },
  },
  {
    route: "POST /register/:token",
    title: "creates an active user with an address, who can then log in; the token works once",
    run: async (world) => {
      const email = newAddress();
      await world.anonymous.post("/verify-email", { email });
      const token = mailedToken(world, email);
      const reply = await world.anonymous.post(`/register/${token}`, { password: "a long enough one" });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        success: true,
        data: { username: email, is_active: true, ip: expect.stringMatching(/^10\.70\./) },
      });
      expect(JSON.stringify(reply.body)).not.toContain('token":');
      const login = await world.anonymous.post("/login", { username: email, password: "a long enough one" });
      expect(login.status).toBe(200);
      expect(
        (await world.anonymous.post(`/register/${token}`, { password: "another password" })).status,
      ).toBe(400);
    },
  },
  {
    route: "POST /activate/:user_id/:token",
    title: "activates once, with a pair that carries the level; a bad pair answers 401",
    run: async ({ anonymous, gateway }) => {
      const user = await gateway.newInactiveUser("ADMIN");
      const wrong = await anonymous.post(`/activate/${user.id}/wrong`);
      expect(wrong).toMatchObject({ status: 401, body: { error: expect.any(String) } });
      const login = { username: user.username, password: user.password };
      expect((await anonymous.post("/login", login)).status).toBe(401);
      const reply = await anonymous.post(`/activate/${user.id}/${user.activation_token}`);
      expect(reply.status).toBe(200);
      const claims = JSON.parse(Buffer.from(reply.body.access_token.split(".")[1], "base64url").toString());
      expect(claims.level).toBe("ADMIN");
      expect((await anonymous.post(`/activate/${user.id}/${user.activation_token}`)).status).toBe(401);
      expect((await anonymous.post("/login", login)).status).toBe(200);
    },
  },
  {
    route: "POST /activate/:user_id/:token",
    title: "fails for a user without a level and leaves the token as it was",
    run: async ({ anonymous, gateway }) => {
      const user = await gateway.newInactiveUser(null);
      const reply = await anonymous.post(`/activate/${user.id}/${user.activation_token}`);
      expect(reply).toMatchObject({ status: 500, body: { error: expect.any(String) } });
      await gateway.deps.db("users").where({ id: user.id }).update({ level: "CUSTOMER" });
      expect((await anonymous.post(`/activate/${user.id}/${user.activation_token}`)).status).toBe(200);
    },
  },
  {
    route: "POST /reset-password",
    title: "mails a link without verify, and answers 400 when nobody has that email",
    run: async (world) => {
      const reply = await world.anonymous.post("/reset-password", { email: world.user.username });
      expect(reply).toMatchObject({ status: 200, body: { success: true } });
      expect(mailedLink(world, world.user.username).href).toMatch(/\/reset-password\?token=[^&]+$/);
      const unknown = await world.anonymous.post("/reset-password", { email: newAddress() });
      expect(unknown).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
    },
  },
  {
    route: "POST /update-password",
    title: "sets the password with the mailed token, which opens nothing else",
    run: async (world) => {
      await world.anonymous.post("/reset-password", { email: world.user.username });
      const token = mailedToken(world, world.user.username);
      expect((await world.anonymous.as(token).get("/auth")).status).toBe(401);
      const reply = await world.anonymous
        .as(token)
        .post("/update-password", { password: "quite another one" });
      expect(reply).toMatchObject({ status: 200, body: { success: true, data: { id: world.user.id } } });
      const login = { username: world.user.username, password: "quite another one" };
      expect((await world.anonymous.post("/login", login)).status).toBe(200);
      expect(
        (await world.anonymous.as(token).post("/update-password", { password: "a third one" })).status,
      ).toBe(401);
    },
  },
  {
    route: "POST /update-password",
    title: "answers 500 for the token of a login, and 401 for none",
    run: async ({ user, anonymous }) => {
      const reply = await user.api.post("/update-password", { password: "quite another one" });
      expect(reply).toMatchObject({
        status: 500,
        body: { error: { code: 500, message: "Unable to update password" } },
      });
      expect((await anonymous.post("/update-password", { password: "quite another one" })).status).toBe(401);
    },
  },
  {
    route: "GET /user",
    title: "answers the current user, without hash or token",
    run: async ({ user }) => {
      const reply = await user.api.get("/user");
      expect(reply.status).toBe(200);
      const known = { id: user.id, username: user.username, level: "CUSTOMER", is_active: true, ip: user.ip };
      expect(reply.body).toMatchObject({ success: true, data: known, ...known });
      expect(JSON.stringify(reply.body)).not.toMatch(/password|activation_token|argon2/);
    },
  },
  {
    route: "GET /user",
    title: "answers 404 in envelope A when the user is gone",
    run: async ({ user, gateway }) => {
      await gateway.deps.db("users").where({ id: user.id }).delete();
      expect(await user.api.get("/user")).toMatchObject({
        status: 404,
        body: { success: false, error: { code: 404 } },
      });
    },
  },
];
