import { Component, type ComponentChildren } from "preact";
import { Card } from "../parts/card";
import { strings } from "../strings";

interface State {
  readonly hasFailed: boolean;
}

/** Shows that a page failed, in place of an empty window. */
export class FailureBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { hasFailed: false };

  static override getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Card title={strings.errors.unexpected}>
        <button type="button" class="primary" onClick={() => location.reload()}>
          {strings.errors.reload}
        </button>
      </Card>
    );
  }
}
