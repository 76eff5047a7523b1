import { visiblePieces } from "../lib/visible"

/** Text of others. It is shown as text, whatever it contains, and cannot change the text around it. */
export function Plain({ text, isCommand = false }: { text: string; isCommand?: boolean }) {
  const pieces = visiblePieces(text, isCommand)
  return (
    <bdi>
      {pieces.map((piece, index) =>
        typeof piece === "string" ? piece : <span key={index} className="ctl" title={piece.title}>{piece.mark}</span>)}
    </bdi>
  )
}
