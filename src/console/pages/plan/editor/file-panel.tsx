import { useSignal } from "@preact/signals";
import { errorOf } from "../../../../client/api-error";
import { errorText } from "../../../parts/error-text";
import { Failure } from "../../../parts/loaded";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { fieldInWords } from "../drone/transfer-result";
import type { PlanEditor } from "./plan-editor";

const text = strings.plan.file;

const formats = Object.entries(text.formats) as [keyof typeof text.formats, string][];

interface FilePanelProps<Content> {
  readonly kind: "mission" | "geofence";
  readonly id: number;
  readonly editor: PlanEditor<Content>;
  readonly saveCopy: (content: Content) => Promise<void>;
  readonly name: string;
  readonly onRename: (name: string) => void;
}

/** The saved plan as a file of other programs. */
export function FilePanel<Content>({ kind, id, editor, saveCopy, name, onRename }: FilePanelProps<Content>) {
  const { api } = useSession().client;
  const failure = useSignal("");
  const leftOut = useSignal<readonly string[]>([]);
  const isBusy = useSignal(false);
  const isSaved = editor.state.value === "saved";

  const run = async (work: () => Promise<void>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = "";
    leftOut.value = [];
    try {
      await work();
    } catch (error) {
      failure.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };

  const download = (format: keyof typeof text.formats) =>
    run(async () => {
      // The file is of what is stored.
      if (!isSaved && !(await editor.save())) return;
      const query = { format };
      const { data, error, response } =
        kind === "mission"
          ? await api.GET("/mission/{mission_id}/export", {
              params: { path: { mission_id: id }, query },
              parseAs: "blob",
            })
          : await api.GET("/geofence/{geofence_id}/export", {
              params: { path: { geofence_id: id }, query },
              parseAs: "blob",
            });
      const refusal = errorOf(response, error);
      if (refusal) throw refusal;
      offer(data as Blob, fileName(response, format));
      leftOut.value = (response.headers.get("X-Left-Out") ?? "").split(", ").filter(Boolean);
    });

  return (
    <div class="file-panel">
      <div class="field">
        <label for="plan-name">{strings.plan.name}</label>
        <input
          id="plan-name"
          value={name}
          maxLength={200}
          autocomplete="off"
          onInput={({ currentTarget }) => onRename(currentTarget.value)}
        />
      </div>
      <h3>{text.export}</h3>
      <p class="hint">{isSaved ? text.exportHint : text.savesFirst}</p>
      <div class="formats">
        {formats.map(([format, name]) => (
          <button key={format} type="button" aria-disabled={isBusy.value} onClick={() => download(format)}>
            {name}
          </button>
        ))}
      </div>
      <Failure text={failure.value} />
      <p role="status" class="caution" hidden={leftOut.value.length === 0}>
        {text.leftOut(leftOut.value.map(fieldInWords).join(", "))}
      </p>
      <h3>{text.copy}</h3>
      <p class="hint">{text.copyHint}</p>
      <button type="button" aria-disabled={isBusy.value} onClick={() => run(() => saveCopy(editor.content))}>
        {text.copy}
      </button>
    </div>
  );
}

/** The browser puts it among the downloads. */
function offer(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun when the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}

/** The name of RFC 5987, else the plain one. */
function fileName(response: Response, format: string): string {
  const header = response.headers.get("Content-Disposition") ?? "";
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(header) ?? [];
  const [, plain] = /filename="([^"]*)"/.exec(header) ?? [];
  return encoded ? decodeURIComponent(encoded) : (plain ?? `plan.${format}`);
}
