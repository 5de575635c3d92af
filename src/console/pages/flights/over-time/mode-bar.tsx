import type { FlightView } from "./flight-view";

/** The modes above the plots, each as long as it lasted. The list of messages has them as text. */
export function ModeBar({ view }: { view: FlightView }) {
  const [from, to] = view.span.value;
  const { modes } = view.track.value;
  const share = (seconds: number) => (100 * (Math.min(Math.max(seconds, from), to) - from)) / (to - from);
  return (
    <div class="mode-bar" aria-hidden="true">
      {modes.map(({ seconds, name }, at) => {
        const end = modes[at + 1]?.seconds ?? view.whole.value[1];
        const width = share(end) - share(seconds);
        return (
          width > 0 && (
            <span
              key={`${at} ${name}`}
              title={name}
              style={{ left: `${share(seconds)}%`, width: `${width}%` }}
            >
              {name}
            </span>
          )
        );
      })}
    </div>
  );
}
