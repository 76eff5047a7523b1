import { useEffect, useRef, useState } from "react"
import type { Piece } from "../api/types"
import { follow } from "../live/session"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { added, type Text } from "./text"

/** What Claude Code is writing, until the message itself is in the timeline. */
export function Writing({ session }: { session: string }) {
  const [text, setText] = useState<Text | null>(null)
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    setText(null)
    return follow(session, {
      piece: (piece: Piece) => setText((now) => added(now, piece)),
      event: (event) => {
        // The message is in the transcript, or the turn is over.
        if (event.type === "transcript" || event.hook_event_name === "Stop") setText((now) => now?.isDone ? null : now)
        if (event.type === "session_interrupted" || event.type === "session_gone") setText(null)
      },
      reload: () => setText(null),
    })
  }, [session])
  useEffect(() => {
    const element = box.current
    if (element) element.scrollTop = element.scrollHeight
  }, [text])
  if (!text?.text) return null
  return (
    <article ref={box} className="writing" aria-label={t("writing")} aria-live="off">
      <Plain text={text.text} />
    </article>
  )
}
