import type { Piece } from "../api/types"

/** A message as far as it is written. */
export interface Text {
  messageID: string
  text: string
  isDone: boolean
}

export function added(now: Text | null, piece: Piece): Text {
  const before = now?.messageID === piece.message_id && !piece.replaces ? now.text : ""
  const text = piece.done ? (now?.messageID === piece.message_id ? now.text : "") : before + piece.text
  return { messageID: piece.message_id, text, isDone: piece.done === true }
}
