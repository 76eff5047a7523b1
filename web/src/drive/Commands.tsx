import { getIfThere, part } from "../api/http"
import type { Session } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { Plain } from "../parts/Plain"
import { mayControl } from "../state/me"
import { t } from "../words/words"
import { isCommand, matching, type Command } from "./command"

interface Props {
  session: Session
  text: string
  isSending: boolean
  onChoose: (text: string) => void
  onRun: () => void
}

/**
 * What a text that begins with a slash can be. Sending it sends a text; only the button here makes it a command.
 */
export function Commands({ session, text, isSending, onChoose, onRun }: Props) {
  const may = useStore(mayControl)
  if (!may || session.runner !== "agent" || !text.startsWith("/")) return null
  return <Offered session={session} text={text} isSending={isSending} onChoose={onChoose} onRun={onRun} />
}

function Offered({ session, text, isSending, onChoose, onRun }: Props) {
  const path = `/v1/sessions/${part(session.id)}/commands`
  const { value } = useLoaded(() => getIfThere<{ commands?: Command[] }>(path), [session.id])
  const known = value?.commands ?? []
  if (known.length === 0) return null
  return (
    <div className="commands">
      {matching(known, text).map((one) => (
        <button key={one.name} type="button" className="quiet" title={one.description} onClick={() => onChoose(`/${one.name} `)}>
          <Plain text={`/${one.name}`} /> {one.argument_hint && <span className="soft"><Plain text={one.argument_hint} /></span>}
        </button>
      ))}
      <button type="button" disabled={isSending || !isCommand(known, text)} onClick={onRun}>{t("command.run")}</button>
      <p className="small soft">{t("command.means")}</p>
    </div>
  )
}
