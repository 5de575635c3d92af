import { compile, FIELD_TYPES, type FieldType, type FieldValue } from "./field-types";

interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** From the message's first byte. */
  readonly offset: number;
}

export const HEADER_LENGTH = 3;

/** Called with the window and where in it the message begins. The bytes are valid during the call only. */
export type OnMessage = (view: DataView, at: number) => void;

/** Names of numbers; one may stand for several, divided by `|`, of which any will do. */
export interface NumberNames {
  /** Decide whether a message is wanted. */
  readonly first: readonly string[];
  /** Read only when it is. */
  readonly rest: readonly string[];
}

/** Gets the numbers in the order of their names; NaN for fields that a format lacks. */
interface NumberConsumer<Subject> {
  /** Handed on with each message. */
  readonly subject: Subject;
  readonly isWanted: (subject: Subject, ...first: number[]) => boolean;
  readonly take: (subject: Subject, ...rest: number[]) => void;
}

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
   * Undefined when the declaration is impossible: a length that its fields do not fill exactly, an unknown
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

  /** Takes the numbers of each message. A log has millions: the code that reads just these is made once. */
  onNumbers<Subject>(names: NumberNames, consumer: NumberConsumer<Subject>): OnMessage {
    const read = (name: string) => {
      const field = this.numberField(name);
      return field?.type.number?.(`at + ${field.offset}`) ?? "NaN";
    };
    const first = ["subject", ...names.first.map(read)].join(", ");
    const rest = ["subject", ...names.rest.map(read)].join(", ");
    return compile(`(view, at) => { if (isWanted(${first})) take(${rest}); }`, { ...consumer });
  }

  /** Reads one number of a message. */
  number(name: string): ((view: DataView, at: number) => number) | undefined {
    const field = this.numberField(name);
    const number = field?.type.number?.(`at + ${field.offset}`);
    return number === undefined ? undefined : compile(`(view, at) => ${number}`);
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
