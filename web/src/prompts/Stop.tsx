import { Rare } from "./Rare"
import type { Answering } from "./useAnswer"

/** Denies, and ends the turn: Claude does not look for another way. */
export function Stop({ answering, message = "" }: { answering: Answering; message?: string }) {
  const why = message.trim() ? { message: message.trim() } : {}
  return (
    <Rare word="deny.stop" short="deny.stopShort" isBad disabled={answering.isSending}
      onClick={() => answering.answer({ decision: "deny", interrupt: true, ...why })} />
  )
}
