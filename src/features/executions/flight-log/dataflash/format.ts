import { compile, FIELD_TYPES, type FieldType, type FieldValue } from "./field-types";

interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** From the message's first byte. */
  readonly offset: number;
}

export const HEADER_LENGTH = 3;

/** A message's layout, as a FMT message of the log declares it. */
export class MessageFormat {
  private constructor(
    readonly type: number,
    /** With its header. */
    readonly length: number,
    readonly name: string,
    readonly fields: readonly Field[],
  ) {}

  /**
   * Undefined when what is declared cannot be: a length that its fields do not fill exactly, an unknown
   * format character, fields without a name.
   */
  static declare(
    type: number,
    length: number,
    name: string,
    format: string,
    labels: string,
  ): MessageFormat | undefined {
    const names = labels === "" ? [] : labels.split(",");
    if (names.length !== format.length || name === "") return undefined;
    const fields: Field[] = [];
    let offset = HEADER_LENGTH;
    for (const [at, character] of [...format].entries()) {
      const fieldType = Object.hasOwn(FIELD_TYPES, character) ? FIELD_TYPES[character] : undefined;
      if (!fieldType) return undefined;
      fields.push({ name: (names[at] as string).trim(), type: fieldType, offset });
      offset += fieldType.size;
    }
    return offset === length ? new MessageFormat(type, length, name, fields) : undefined;
  }

  /** Whether it has a number of this name; of several names, divided by `|`, any. */
  hasNumber(name: string): boolean {
    return this.numberField(name) !== undefined;
  }

  /** Reads these fields of a message, each where it has a number of that name. */
  numbers(names: readonly string[]): NumberReader {
    return new NumberReader(names.map((name) => this.numberField(name)));
  }

  text(name: string): ((view: DataView, at: number) => string) | undefined {
    const field = this.field(name);
    return field && ((view, at) => String(field.type.value(view, at + field.offset)));
  }

  /** All values of the message that begins at `at`. */
  values(view: DataView, at: number): Map<string, FieldValue> {
    return new Map(this.fields.map(({ name, type, offset }) => [name, type.value(view, at + offset)]));
  }

  private numberField(names: string): Field | undefined {
    const fields = names.split("|").map((name) => this.field(name));
    return fields.find((field) => field?.type.number !== undefined);
  }

  private field(name: string): Field | undefined {
    return this.fields.find((candidate) => candidate.name === name);
  }
}

/**
 * Reads some numbers of each message of one format. A log has millions of messages: code that reads just these fields
 * is made once, and the numbers are put into an array that is used again.
 */
export class NumberReader {
  /** Of the message that was read last, in the order of the names; NaN where it has no such number. */
  readonly values: Float64Array;
  /** Reads the message that begins at `at`; returns `values`. */
  readonly read: (view: DataView, at: number) => Float64Array;

  constructor(fields: readonly (Field | undefined)[]) {
    this.values = new Float64Array(fields.length).fill(Number.NaN);
    const steps = fields.map((field, place) => {
      const number = field?.type.number?.(`at + ${field.offset}`);
      return number === undefined ? "" : `values[${place}] = ${number};`;
    });
    this.read = compile(`return (view, at) => { ${steps.join(" ")} return values; };`, this.values);
  }
}
