import { useState } from "react"
import type { Machine } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { number } from "../lib/time"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { t, textFor } from "../words/words"
import { machineTrip, serverTrip, type Trip } from "./roundTrip"

/** How long it takes from this browser to the server, and by way of it to each machine's agent. */
export function Trips() {
  const all = useStore(machines).filter((machine) => machine.agent && machine.agent.state !== "none")
  const [turn, setTurn] = useState(0)
  const server = useLoaded(serverTrip, [turn])
  return (
    <>
      <ul className="rows" aria-label={t("trip")}>
        <li className="row"><span className="grow">{t("trip.server")}</span><Taken trip={server.value} /></li>
        {all.map((machine) => <ToMachine key={`${machine.name} ${machine.agent?.state} ${turn}`} machine={machine} />)}
      </ul>
      {all.length === 0 && <p className="small soft">{t("trip.noAgent")}</p>}
      <button type="button" onClick={() => setTurn((count) => count + 1)}>{t("trip.again")}</button>
    </>
  )
}

function ToMachine({ machine }: { machine: Machine }) {
  const { value } = useLoaded(() => machineTrip(machine.name), [])
  return <li className="row"><span className="grow"><Plain text={t("trip.machine", { machine: machine.name })} /></span><Taken trip={value} /></li>
}

function Taken({ trip }: { trip: Trip | null }) {
  if (trip === null) return <span className="soft small" role="status">{t("trip.measures")}</span>
  if (trip.milliseconds !== null) return <b className="num">{t("trip.ms", { n: number(trip.milliseconds, trip.milliseconds < 10 ? 1 : 0) })}</b>
  return <span className="small warn">{textFor(`trip.code.${trip.code ?? ""}`) ?? trip.code}</span>
}
