import { get, part, send } from "../api/http"
import type { MachineKey, Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { dateAndTime } from "../lib/time"
import { Ago } from "../parts/Age"
import { Entry } from "../parts/Entry"
import { MachineAdvice, MachineFacts } from "../parts/MachineFacts"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { mayAdminister } from "../state/me"
import { t } from "../words/words"
import { NeedsAdminister } from "./NeedsAdminister"
import { NewKey } from "./NewKey"
import { Revoke } from "./Revoke"

export function Machines() {
  const all = useStore(machines)
  const isAdministrator = useStore(mayAdminister)
  return (
    <div className="stack">
      <ul className="rows" aria-label={t("machines")}>
        {all.map((machine) => (
          <li key={machine.id}>
            <p className="row">
              <span className="grow wrap"><b><Plain text={machine.name} /></b>
                {machine.reported_name && machine.reported_name !== machine.name && <span className="soft"> <Plain text={machine.reported_name} /></span>}
              </span>
              <span className="soft small num">{machine.last_seen_at ? <Ago time={machine.last_seen_at} /> : t("age.never")}</span>
            </p>
            <p className="row wrap">
              <span className="soft small num">{t("sessions.count", { n: machine.session_count ?? 0 })}</span>
              <MachineFacts machine={machine} />
            </p>
            <MachineAdvice machine={machine} />
          </li>
        ))}
      </ul>
      <h3>{t("keys")}</h3>
      {isAdministrator ? <Keys /> : (
        <NeedsAdminister commands={['monitorctl key create "$(uname -n)"', "monitorctl key list", "monitorctl key revoke NAME"]} />
      )}
    </div>
  )
}

function Keys() {
  const keys = useLoaded(() => get<Page<MachineKey>>("/v1/keys"), [])
  return (
    <>
      <Fault what={t("unread.settings")} error={keys.error} again={keys.again} />
      <ul className="rows">
        {(keys.value?.data ?? []).map((key) => (
          <Entry key={key.id} name={<b><Plain text={key.name} /></b>}
            facts={<>{t("key.created", { time: dateAndTime(key.created_at) })}{key.last_used_at && <> · {t("key.used")} <Ago time={key.last_used_at} /></>}</>}
            acts={key.revoked_at ? <span className="soft small">{t("revoked")}</span> : (
              <Revoke what={key.name} onConfirm={() => send("DELETE", "/v1/keys/" + part(key.id)).then(keys.again)} />
            )} />
        ))}
      </ul>
      <NewKey onMade={keys.again} />
    </>
  )
}
