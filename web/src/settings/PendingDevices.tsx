import { useEffect, useRef, useState } from "react"
import { asApiError } from "../api/errors"
import { get, send } from "../api/http"
import type { PendingDevice } from "../api/devices"
import { Ago } from "../parts/Age"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { visibleText } from "../lib/visible"
import { explained, t } from "../words/words"
import { maySay } from "./maySay"

const askMilliseconds = 3000

/** Devices that wait until somebody lets them in, where the server requires that. */
export function PendingDevices({ onDecided }: { onDecided: () => void }) {
  const [waiting, setWaiting] = useState<readonly PendingDevice[]>([])
  const [error, setError] = useState<string | null>(null)
  const [deciding, setDeciding] = useState<string | null>(null)
  // An answer to a read that began before a decision is old.
  const reads = useRef(0)
  const read = async () => {
    if (document.visibilityState === "hidden") return
    const number = ++reads.current
    const found = await get<{ pending: PendingDevice[] }>("/api/auth/pairing/pending").catch(() => null)
    if (found && number === reads.current) setWaiting(found.pending)
  }
  useEffect(() => {
    void read()
    const timer = setInterval(() => void read(), askMilliseconds)
    return () => {
      clearInterval(timer)
      reads.current++
    }
  }, [])
  const decide = (device: PendingDevice, verb: "approve" | "reject") => {
    setError(null)
    setDeciding(device.request_id)
    send("POST", "/api/auth/pairing/" + verb, { request_id: device.request_id }).then(onDecided, (fault: unknown) => setError(explained(asApiError(fault))))
      .finally(() => void read().then(() => setDeciding(null)))
  }
  return (
    <>
      <Fault error={error} />
      <ul className="rows" aria-label={t("pending.devices")} aria-live="polite">
        {waiting.map((device) => (
          <li key={device.request_id} className="row wrap">
            <span className="grow">
              {t("pending.asks")} <b><Plain text={device.user_agent} /></b>
              <span className="small under">{maySay(device.capabilities ?? [])}</span>
              <span className="soft small under num">{device.remote_addr} · <Ago time={device.created_at} /></span>
            </span>
            <button type="button" className="yes" disabled={deciding === device.request_id} aria-label={`${t("pending.approve")}: ${visibleText(device.user_agent)}`} onClick={() => decide(device, "approve")}>{t("pending.approve")}</button>
            <button type="button" disabled={deciding === device.request_id} aria-label={`${t("pending.reject")}: ${visibleText(device.user_agent)}`} onClick={() => decide(device, "reject")}>{t("pending.reject")}</button>
          </li>
        ))}
      </ul>
    </>
  )
}
