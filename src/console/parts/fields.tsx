import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { strings } from "../strings";

const text = strings.fields;

interface EmailFieldProps {
  readonly value?: string | undefined;
}

/** Its value's name is `email`. */
export function EmailField({ value }: EmailFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{text.email}</label>
      <input
        id={id}
        name="email"
        type="email"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
        maxLength={254}
        defaultValue={value ?? ""}
      />
    </div>
  );
}

/** Its value's name is `password`. A new one has the rule of the API beside it. */
export function PasswordField({ isNew = false }: { isNew?: boolean }) {
  const id = useId();
  const isShown = useSignal(false);
  return (
    <div class="field">
      <label for={id}>{isNew ? text.newPassword : text.password}</label>
      <div class="with-button">
        <input
          id={id}
          name="password"
          // Its types admit one constant.
          type={(isShown.value ? "text" : "password") as "password"}
          autocomplete={isNew ? "new-password" : "current-password"}
          autocapitalize="none"
          spellcheck={false}
          required
          aria-describedby={isNew ? `${id}-rule` : undefined}
        />
        <button
          type="button"
          class="quiet"
          aria-label={isShown.value ? text.hidePassword : text.showPassword}
          onClick={() => {
            isShown.value = !isShown.value;
          }}
        >
          <Eye isCrossed={isShown.value} />
        </button>
      </div>
      {isNew && (
        <p id={`${id}-rule`} class="hint">
          {text.passwordRule}
        </p>
      )}
    </div>
  );
}

const Eye = ({ isCrossed }: { isCrossed: boolean }) => (
  <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
    <path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12z" />
    <circle cx="12" cy="12" r="3" />
    {isCrossed && <path d="M4 4l16 16" />}
  </svg>
);
