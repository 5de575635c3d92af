import { Card } from "../parts/card";
import { paths } from "../paths";
import { strings } from "../strings";

export default function NotFound() {
  return (
    <Card title={strings.notFound.title}>
      <p>{strings.notFound.text}</p>
      <nav class="links">
        <a href={paths.home}>{strings.notFound.home}</a>
      </nav>
    </Card>
  );
}
