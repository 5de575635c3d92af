import { useSignal } from "@preact/signals";
import { reply } from "../../../client/client";
import { useAction } from "../../parts/action";
import { Form } from "../../parts/form";
import { Labelled } from "../../parts/labelled";
import { Failure, ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { Section } from "./section";

const text = strings.account.reports;

/** Who gets the reports of the user's flights. */
export function ReportsPart() {
  const { api } = useSession().client;
  const recipients = useLoaded(() => reply(api.GET("/user/report-emails")));
  const { isBusy, failure, run } = useAction();
  const entered = useSignal("");

  /** Changes the list as it is now: another tab or client may have changed it. */
  const set = async (change: (extra: readonly string[]) => readonly string[]) => {
    const { extra_emails } = await reply(api.GET("/user/report-emails"));
    const body = { extra_emails: change(addresses(extra_emails)).join(",") };
    try {
      await reply(api.PUT("/user/report-emails", { body }));
    } finally {
      // A quota of mails refuses the links, and the list is stored all the same.
      await recipients.reload();
    }
  };
  const add = async () => {
    await set((extra) => [...extra, entered.value.trim()]);
    entered.value = "";
  };
  const remove = (email: string) => run(() => set((extra) => extra.filter((one) => one !== email)));

  return (
    <Section title={text.title}>
      <p>{text.intro}</p>
      <ShowLoaded of={recipients}>
        {({ email: own, all_recipients, unconfirmed_emails }) => (
          <ul class="rows">
            {all_recipients.map((email) => (
              <li key={email}>
                <span class="row-text">
                  {email}
                  <span class={unconfirmed_emails.includes(email) ? "state waits" : "state"}>
                    {email === own
                      ? text.own
                      : unconfirmed_emails.includes(email)
                        ? text.unconfirmed
                        : text.confirmed}
                  </span>
                </span>
                {email !== own && (
                  <button
                    type="button"
                    aria-label={text.removeOne(email)}
                    aria-disabled={isBusy.value}
                    onClick={() => remove(email)}
                  >
                    {text.remove}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </ShowLoaded>
      <Failure text={failure.value} />
      <Form label={text.add} busyLabel={text.adding} submit={add}>
        <Labelled label={text.address} hint={text.addressHint}>
          {(field) => (
            <input
              {...field}
              type="email"
              required
              maxLength={254}
              autocapitalize="none"
              spellcheck={false}
              value={entered.value}
              onInput={({ currentTarget: { value } }) => {
                entered.value = value;
              }}
            />
          )}
        </Labelled>
      </Form>
    </Section>
  );
}

const addresses = (list: string): readonly string[] =>
  list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
