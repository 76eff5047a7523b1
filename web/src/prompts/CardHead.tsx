import type { ReactNode } from "react"
import type { Prompt, Session } from "../api/types"
import { sessionLink } from "../lib/route"
import { Running } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Plain } from "../parts/Plain"
import { useSaidBefore } from "../state/before"
import { placeOf, sessionName } from "../state/names"
import { promptName } from "./describe"
import { InfoButton } from "./Info"

interface Props {
  prompt: Prompt
  session: Session | undefined
  /** The session's name stands above already. */
  isInside?: boolean
  isInformed?: boolean
  /** What was said before stands above the body, away from the head. */
  isApart?: boolean
  onInform?: () => void
  /** In place of the button for the small print. */
  children?: ReactNode
}

/** Who asks: the session by its name and its place, and what it said before it asked; folded, what it asks in the second of two lines. */
export function CardHead({ prompt, session, isInside, isInformed = false, isApart = false, onInform, children }: Props) {
  const isFolded = children !== undefined
  const said = useSaidBefore(prompt, !isFolded && !isApart)
  const name = session ? sessionName(session) : prompt.session_id
  const place = session ? placeOf(session) : prompt.machine_name ?? prompt.machine_id ?? ""
  return (
    <header>
      <Mark kind={prompt.state === "open" ? "wait" : "done"} />
      <a className="grow" href={sessionLink(prompt.session_id)}>
        {!isInside && (
          <span className="clip">
            <b><Plain text={name} /></b>
            {isFolded && <span className="soft small"> <Plain text={place} /></span>}
          </span>
        )}
        {!isInside && !isFolded && <span className="clip soft small"><Plain text={place} /></span>}
        <span className="clip soft small">{isFolded ? <Plain text={promptName(prompt)} /> : said && !isApart && <>“<Plain text={said} />”</>}</span>
      </a>
      <Running since={prompt.opened_at} className="soft num small" />
      {children ?? (onInform && <InfoButton isOpen={isInformed} onToggle={onInform} />)}
    </header>
  )
}
