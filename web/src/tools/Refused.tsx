import type { ApiError } from "../api/errors"
import { useStore } from "../lib/store"
import { Command } from "../parts/Copy"
import { Plain } from "../parts/Plain"
import { myDevice } from "../state/me"
import { explained, t, textFor } from "../words/words"

/** For what this browser may not do: the command that lets it. */
export function NeedsControl({ what }: { what: string }) {
  const device = useStore(myDevice)
  return (
    <div>
      <p className="small soft">{what} {t("tools.grant")}</p>
      <Command text={`monitorctl device grant ${device ?? "ID"} control`} />
    </div>
  )
}

/** Why the machine or the server refused, and what a person can do about it. */
export function Refused({ error, machine }: { error: ApiError | null; machine: string }) {
  if (!error) return null
  const own = textFor(`tools.fault.${error.code}`, { machine })
  const advice = textFor(`tools.advice.${error.code}`, { machine })
  return (
    <div role="alert">
      <p className="fault wrap"><Plain text={own ?? explained(error)} /></p>
      {error.code === "insufficient_scope" && <NeedsControl what="" />}
      {advice && <p className="small soft wrap"><Plain text={advice} /></p>}
    </div>
  )
}
