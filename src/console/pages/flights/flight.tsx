import { useRoute } from "preact-iso/router";
import { reply } from "../../../client/client";
import { clock, localTime, timeZone } from "../../format/time";
import { Heading } from "../../parts/heading";
import { Failure, ShowLoaded } from "../../parts/loaded";
import { paths } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { ActionButton } from "./action-button";
import { Archive } from "./archive";
import { droneName, useDroneNames } from "./drone-names";
import { Figures } from "./figures";
import { Files } from "./files";
import { type Flight, type FlightData, isExpecting, useFlight } from "./flight-data";
import { FlightState } from "./flight-state";
import { FlownTrack } from "./flown-track";
import { LogState } from "./log-state";
import { Pictures } from "./pictures";
import { Remove } from "./remove";
import { Report } from "./report";
import { Videos } from "./videos";
import "./flights.css";

const text = strings.flights;

/** One flight: live while it is flown, then with its figures, track and files. Mailed reports lead here. */
export default function FlightPage() {
  const id = Number(useRoute().params.id);
  return <OneFlight key={id} id={id} />;
}

function OneFlight({ id }: { id: number }) {
  const data = useFlight(id);
  const names = useDroneNames().data.value;
  return (
    <article class="flight">
      <nav>
        <a href={paths.flights}>{text.toList}</a>
      </nav>
      <Heading>{text.flight(id)}</Heading>
      <ShowLoaded of={data.flight}>
        {(flight) => (
          <>
            <Facts flight={flight} drone={droneName(names, flight.drone_id)} />
            <FlownTrack data={data} flight={flight} drone={droneName(names, flight.drone_id)} />
            <FiguresOfLog data={data} flight={flight} />
            <section>
              <h2>{text.pictures.title}</h2>
              <Pictures assets={flight.assets} />
            </section>
            <section>
              <h2>{text.videos.title}</h2>
              <Videos assets={flight.assets} />
            </section>
            <section>
              <h2>{text.files.title}</h2>
              <Files assets={flight.assets} />
            </section>
            <div class="side-by-side">
              <section>
                <h2>{text.report.title}</h2>
                <Report flight={flight} />
              </section>
              <section>
                <h2>{text.archive.title}</h2>
                <Archive id={id} />
              </section>
            </div>
            <section class="remove">
              <Remove flight={flight} />
            </section>
          </>
        )}
      </ShowLoaded>
    </article>
  );
}

function Facts({ flight, drone }: { flight: Flight; drone: string }) {
  const { status, mission_name, started_at, completed_at, notes, plan_state } = flight;
  const lasted = completed_at && clock((Date.parse(completed_at) - Date.parse(started_at)) / 1_000);
  return (
    <>
      <p class="facts">
        <FlightState status={status} />
        <strong>{drone}</strong>
        <span>{mission_name ?? text.noMission}</span>
        <span>{text.began(localTime(started_at), timeZone())}</span>
        {lasted && <span>{lasted}</span>}
      </p>
      <p class="quiet-text">{text.plan[plan_state]}</p>
      {notes && (
        <p>
          {text.notes}: {notes}
        </p>
      )}
    </>
  );
}

function FiguresOfLog({ data: { analysis, track }, flight }: { data: FlightData; flight: Flight }) {
  const { api } = useSession().client;
  const { value: found } = analysis.data;
  const analyse = async () => {
    const of = { params: { path: { execution_id: flight.id } } };
    try {
      await reply(api.POST("/executions/{execution_id}/analyze-log", of));
    } finally {
      await analysis.reload();
      await track.reload();
    }
  };
  if (flight.status === "in_progress" && !found?.stats) return null;
  return (
    <section>
      <h2>{text.figures.title}</h2>
      <ShowLoaded of={analysis}>
        {(found) => (
          <>
            <LogState flight={flight} analysis={found} isExpected={isExpecting(flight, found)} />
            {found?.stats && <Figures stats={found.stats} />}
          </>
        )}
      </ShowLoaded>
      <Failure text={track.failure.value} retry={track.reload} />
      {found && (
        <ActionButton act={analyse} busyLabel={text.analysing}>
          {text.analyse}
        </ActionButton>
      )}
    </section>
  );
}
