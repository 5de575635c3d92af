import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { strings } from "../strings";
import { useAction } from "./action";
import { CopyText } from "./copy-text";
import { Failure } from "./loaded";
import "./vpn-config.css";

const text = strings.vpnConfig;

interface VpnConfigProps {
  /** Whose key it has. */
  readonly warning: string;
  readonly fileName: string;
  /** Reads the config's text. */
  readonly read: () => Promise<string>;
}

interface Shown {
  readonly config: string;
  /** Of the QR code: a path of squares in a box of `size`. */
  readonly squares: string;
  readonly size: number;
}

/** A WireGuard config as a file and a QR code. It has a private key: it is read when it is asked for, and not kept. */
export function VpnConfig({ warning, fileName, read }: VpnConfigProps) {
  const { isBusy, failure, run } = useAction();
  const shown = useSignal<Shown | undefined>(undefined);
  const show = () =>
    run(async () => {
      const [config, { encode }] = await Promise.all([read(), import("uqr")]);
      const { data, size } = encode(config, { ecc: "L", border: QUIET_ZONE });
      shown.value = { config, size, squares: squaresOf(data) };
    });
  return (
    <div class="vpn-config">
      <p class="caution">{warning}</p>
      <Failure text={failure.value} />
      {shown.value ? (
        <Config shown={shown.value} fileName={fileName} />
      ) : (
        <button type="button" class="primary" aria-disabled={isBusy.value} onClick={show}>
          {isBusy.value ? text.busy : text.show}
        </button>
      )}
    </div>
  );
}

/** Light squares around the code, which readers need. */
const QUIET_ZONE = 4;

function squaresOf(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
}

function Config({ shown: { config, squares, size }, fileName }: { shown: Shown; fileName: string }) {
  const address = useMemo(() => URL.createObjectURL(new Blob([config], { type: "text/plain" })), [config]);
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  return (
    <>
      <svg class="qr-code" role="img" aria-label={text.code} viewBox={`0 0 ${size} ${size}`}>
        <path d={squares} />
      </svg>
      <a class="button" href={address} download={fileName}>
        {text.download}
      </a>
      <CopyText label={text.text} text={config} rows={10} />
    </>
  );
}
