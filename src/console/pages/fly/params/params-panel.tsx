import { useComputed, useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { reply } from "../../../../client/client";
import { useAction } from "../../../parts/action";
import { Failure } from "../../../parts/loaded";
import { readNumber } from "../../../parts/number";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import type { ParamEdits, ParamRow } from "./param-edits";
import { paramText, readParamFile, writeParamFile } from "./param-file";
import "./params.css";

const text = strings.fly.params;

/** Rows that are drawn at once. */
const PAGE = 100;
/** Parameters of one order, which are written one after the other. */
const MOST_AT_ONCE = 100;
/** A file is kept for the download so long. */
const KEPT_MS = 10_000;

/** The vehicle's parameters: read, searched, changed, from a file and to a file. */
export function ParamsPanel({ edits }: { edits: ParamEdits }) {
  const { drone, state, orders } = useFlown();
  const { api } = useSession().client;
  const path = { drone_id: drone.id };
  const reading = useAction();
  const writing = useAction();
  const notice = useSignal("");
  const search = useSignal("");
  const onlyChanged = useSignal(false);
  const shown = useSignal(PAGE);
  const found = useComputed(() => {
    const wanted = search.value.trim().toUpperCase();
    const rows = onlyChanged.value
      ? edits.rows.value.filter((row) => row.state !== "same")
      : edits.rows.value;
    return wanted === "" ? rows : rows.filter(({ name }) => name.toUpperCase().includes(wanted));
  });

  const read = () =>
    reading.run(async () => {
      state.newest.params.value = undefined;
      const all = { path, query: { all: "true" } } as const;
      const { params } = await reply(api.GET("/drone/{drone_id}/params", { params: all }));
      edits.replace(params.map(({ param_id, value }) => [param_id, value]));
    });

  const write = () =>
    writing.run(async () => {
      const changed = edits.changed.peek();
      for (let at = 0; at < changed.length; at += MOST_AT_ONCE) {
        const part = changed.slice(at, at + MOST_AT_ONCE);
        const values = part.map(({ name, entered }) => [name, readNumber(entered ?? "") ?? 0] as const);
        const done = await orders.setParams(Object.fromEntries(values));
        if (done) edits.update(done.result.written.map(({ param_id, value }) => [param_id, value]));
        else return readAgain(part.map(({ name }) => name));
      }
    });

  /** After a failure nobody knows what was written. */
  const readAgain = async (names: readonly string[]) => {
    const some = { path, query: { params: names.join(",") } };
    const { params } = await reply(api.GET("/drone/{drone_id}/params", { params: some }));
    edits.update(params.map(({ param_id, value }) => [param_id, value]));
  };

  const load = async (file: File | undefined) => {
    if (!file) return;
    const { params, unread } = readParamFile(await file.text());
    const missing = edits.enterFile(params);
    onlyChanged.value = true;
    notice.value = [
      text.fileRead(params.size - missing.length, file.name),
      missing.length > 0 && text.fileMissing(missing),
      unread.length > 0 && text.fileUnread(unread.map(({ line }) => line)),
    ]
      .filter(Boolean)
      .join(" ");
  };

  return (
    <section class="params" aria-label={text.title}>
      <Toolbar
        edits={edits}
        name={drone.name}
        isReading={reading.isBusy.value}
        isWriting={writing.isBusy.value}
        read={read}
        write={write}
        load={load}
      />
      <Progress isReading={reading.isBusy.value} />
      <Failure text={reading.failure.value || writing.failure.value} />
      <p role="status" class="notice" hidden={notice.value === ""}>
        {notice.value}
      </p>
      {edits.isRead.value && (
        <>
          <Filters search={search} onlyChanged={onlyChanged} count={found.value.length} />
          <div class="param-rows">
            {found.value.slice(0, shown.value).map((row) => (
              <Row key={row.name} row={row} edits={edits} />
            ))}
          </div>
          {found.value.length > shown.value && (
            <button
              type="button"
              onClick={() => {
                shown.value += PAGE;
              }}
            >
              {text.more(found.value.length - shown.value)}
            </button>
          )}
        </>
      )}
    </section>
  );
}

interface ToolbarProps {
  readonly edits: ParamEdits;
  readonly name: string;
  readonly isReading: boolean;
  readonly isWriting: boolean;
  readonly read: () => Promise<void>;
  readonly write: () => Promise<void>;
  readonly load: (file: File | undefined) => Promise<void>;
}

function Toolbar({ edits, name, isReading, isWriting, read, write, load }: ToolbarProps) {
  const isRead = edits.isRead.value;
  const changes = edits.changed.value.length;
  const mayWrite = changes > 0 && edits.invalid.value.length === 0 && !isWriting;
  const id = useId();
  return (
    <div class="params-bar">
      <button type="button" aria-disabled={isReading} onClick={() => !isReading && void read()}>
        {isRead ? text.readAgain : text.read}
      </button>
      <button
        type="button"
        class="primary"
        aria-disabled={!mayWrite}
        onClick={() => mayWrite && void write()}
      >
        {isWriting ? text.writing : text.write(changes)}
      </button>
      <button type="button" aria-disabled={changes === 0} onClick={() => edits.undoAll()}>
        {text.undoAll}
      </button>
      <label class={`button ${isRead ? "" : "disabled"}`} for={id}>
        {text.load}
      </label>
      <input
        id={id}
        class="visually-hidden"
        type="file"
        accept=".param,.params,.parm,text/plain"
        disabled={!isRead}
        onChange={({ currentTarget }) => {
          void load(currentTarget.files?.[0]);
          currentTarget.value = "";
        }}
      />
      <button type="button" aria-disabled={!isRead} onClick={() => isRead && save(edits, name)}>
        {text.save}
      </button>
    </div>
  );
}

function save(edits: ParamEdits, name: string): void {
  const params = edits.rows
    .peek()
    .flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));
  const address = URL.createObjectURL(new Blob([writeParamFile(params)], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${name.replace(/[^\p{L}\p{N} _-]/gu, "_")}.param`;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

function Progress({ isReading }: { isReading: boolean }) {
  const { state } = useFlown();
  if (!isReading) return null;
  const { received, total } = state.newest.params.value?.value ?? { received: 0, total: 0 };
  return (
    <p class="params-progress" role="status">
      {total === 0 ? text.reading : text.received(received, total)}
      <progress aria-label={text.reading} max={total || 1} value={received} />
    </p>
  );
}

interface FiltersProps {
  readonly search: { value: string };
  readonly onlyChanged: { value: boolean };
  readonly count: number;
}

const Filters = ({ search, onlyChanged, count }: FiltersProps) => (
  <div class="params-filters field">
    <input
      type="search"
      aria-label={text.search}
      placeholder={text.search}
      autocapitalize="characters"
      autocomplete="off"
      spellcheck={false}
      value={search.value}
      onInput={({ currentTarget }) => {
        search.value = currentTarget.value;
      }}
    />
    <label class="choice">
      <input
        type="checkbox"
        checked={onlyChanged.value}
        onChange={({ currentTarget }) => {
          onlyChanged.value = currentTarget.checked;
        }}
      />
      {text.onlyChanged}
    </label>
    <span class="count">{text.count(count)}</span>
  </div>
);

function Row({ row: { name, value, entered, state }, edits }: { row: ParamRow; edits: ParamEdits }) {
  const id = useId();
  const read = value === null ? "" : paramText(value);
  return (
    <div class={`param-row ${state}`}>
      <label for={id}>{name}</label>
      <input
        id={id}
        inputMode="decimal"
        autocomplete="off"
        aria-invalid={state === "invalid"}
        aria-describedby={state === "same" ? undefined : `${id}-before`}
        value={entered ?? read}
        onInput={({ currentTarget }) => edits.enter(name, currentTarget.value)}
        onBlur={() => state === "same" && edits.undo(name)}
      />
      <span id={`${id}-before`} class="before">
        {state === "changed" && text.before(read || text.notANumber)}
        {state === "invalid" && text.invalid}
      </span>
      <button
        type="button"
        class="quiet"
        aria-label={text.undo(name)}
        disabled={entered === undefined}
        onClick={() => edits.undo(name)}
      >
        <svg viewBox="0 0 24 24" width="20" height="20" class="line" aria-hidden="true">
          <path d="M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6" />
        </svg>
      </button>
    </div>
  );
}
