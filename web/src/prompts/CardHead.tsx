import type { ReactNode } from "react"
import type { Prompt, Session } from "../api/types"
import { sessionLink } from "../lib/route"
import { Running } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Plain } from "../parts/Plain"
import { useSaidBefore } from "../state/before"
import { sessionName } from "../state/groups"
import { t } from "../words/words"
import { promptName } from "./describe"
import { InfoButton } from "./Info"

interface Props {
  prompt: Prompt
  session: Session | undefined
  /** The session's name stands above already. */
  isInside?: boolean
  isInformed?: boolean
  onInform?: () => void
  /** In place of the button for the small print. */
  children?: ReactNode
}

/** Who asks, in two lines: the session, and what it said before it asked; folded, what it asks. */
export function CardHead({ prompt, session, isInside, isInformed = false, onInform, children }: Props) {
  const machine = prompt.machine_name ?? prompt.machine_id
  const isFolded = children !== undefined
  const said = useSaidBefore(prompt, !isFolded)
  return (
    <header>
      <Mark kind={prompt.state === "open" ? "wait" : "done"} />
      <a className="grow" href={sessionLink(prompt.session_id)}>
        {!isInside && (
          <span className="clip">
            <b><Plain text={session ? sessionName(session) : prompt.session_id} /></b>
            {machine && <span className="soft"> {t("on")} <Plain text={machine} /></span>}
          </span>
        )}
        <span className="clip soft small">{isFolded ? <Plain text={promptName(prompt)} /> : said && <>“<Plain text={said} />”</>}</span>
      </a>
      <Running since={prompt.opened_at} className="soft num small" />
      {children ?? (onInform && <InfoButton isOpen={isInformed} onToggle={onInform} />)}
    </header>
  )
}
