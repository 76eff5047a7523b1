import { useEffect, useState } from "react"
import { asApiError } from "../api/errors"
import { get, part, send } from "../api/http"
import type { Pairing, PairingState } from "../api/devices"
import { timeOfDay } from "../lib/time"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { explained, t } from "../words/words"

const askMilliseconds = 2000

/** Shows a QR code with which another browser signs in, and says when it has. */
export function PairDevice({ onPaired }: { onPaired: () => void }) {
  const [mayAnswer, setMayAnswer] = useState(true)
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const [error, setError] = useState<string | null>(null)
  const begin = () => {
    setError(null)
    const capabilities = mayAnswer ? ["read", "respond"] : ["read"]
    send<Pairing>("POST", "/v1/pairing?qr=svg", { capabilities }).then(setPairing, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <section className="stack" aria-labelledby="pair-device">
      <h3 id="pair-device">{t("pairing")}</h3>
      <fieldset>
        <legend className="small">{t("pairing.may")}</legend>
        {[true, false].map((answers) => (
          <label key={String(answers)} className="opt slim">
            <input type="radio" name="pairing-may" checked={mayAnswer === answers} onChange={() => setMayAnswer(answers)} />
            <span>{t(answers ? "pairing.answer" : "pairing.look")}</span>
          </label>
        ))}
      </fieldset>
      <div><button type="button" className="yes" onClick={begin}>{t(pairing ? "pairing.another" : "pairing.begin")}</button></div>
      <Fault error={error} />
      {pairing && <Invitation key={pairing.id} pairing={pairing} onPaired={onPaired} />}
    </section>
  )
}

function Invitation({ pairing, onPaired }: { pairing: Pairing; onPaired: () => void }) {
  const { state, isOver } = usePairing(pairing, onPaired)
  if (state?.device) return <p role="status">✓ {t("pairing.done")} <b><Plain text={state.device.name} /></b></p>
  if (state?.approval === "rejected") return <p role="status" className="soft">{t("pairing.rejected")}</p>
  if (isOver) return <p role="status" className="soft">{t("pairing.over")}</p>
  return (
    <div className="stack" role="status">
      {isLoopback(location.hostname) && <p className="small warn">{t("pairing.loopback", { address: location.origin })}</p>}
      {pairing.link_svg && <img className="qr" alt={t("pairing.qr")} src={"data:image/svg+xml," + encodeURIComponent(pairing.link_svg)} />}
      <p className="small soft">{t("pairing.how", { time: timeOfDay(pairing.expires_at) })}</p>
      <Command text={pairing.link} />
      <p>{t(state?.approval === "pending" ? "pairing.approve" : "pairing.waiting")}</p>
    </div>
  )
}

/** Asks how the pairing stands until it is used or over. */
function usePairing(pairing: Pairing, onPaired: () => void): { state: PairingState | null; isOver: boolean } {
  const [state, setState] = useState<PairingState | null>(null)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const end = performance.now() + pairing.expires_in * 1000
    let isCurrent = true
    let timer = 0
    const ask = async () => {
      const isLast = performance.now() >= end
      const found = await get<PairingState>("/v1/pairing/" + part(pairing.id)).catch(() => null)
      if (!isCurrent) return
      if (found) setState(found)
      if (found?.device) return onPaired()
      if (found?.approval === "rejected") return
      if (isLast) setOver(true)
      else timer = window.setTimeout(() => void ask(), askMilliseconds)
    }
    timer = window.setTimeout(() => void ask(), askMilliseconds)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [pairing.id])
  return { state, isOver }
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name.startsWith("127.") || name === "[::1]"
}
