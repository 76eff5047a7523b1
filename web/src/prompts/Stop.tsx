import { t } from "../words/words"
import type { Answering } from "./useAnswer"

/** Denies, and ends the turn: Claude does not look for another way. */
export function Stop({ answering, message = "" }: { answering: Answering; message?: string }) {
  const why = message.trim() ? { message: message.trim() } : {}
  return (
    <button type="button" className="quiet bad" disabled={answering.isSending}
      onClick={() => answering.answer({ decision: "deny", interrupt: true, ...why })}>
      {t("deny.stop")}
    </button>
  )
}
