import { visiblePieces } from "../lib/visible"

interface Props {
  text: string
  isCommand?: boolean
}

/** Text of others. It is shown as text, whatever it contains, and cannot change the text around it. Commands run from left to right. */
export function Plain(props: Props) {
  return <bdi dir={props.isCommand ? "ltr" : undefined}><Pieces {...props} /></bdi>
}

/** The same where the element around it has a direction of its own, `dir="auto"`, which looks at its direct text. */
export function Pieces({ text, isCommand = false }: Props) {
  return (
    <>
      {visiblePieces(text, isCommand).map((piece, index) =>
        typeof piece === "string" ? piece : <span key={index} className="ctl" title={piece.title}>{piece.mark}</span>)}
    </>
  )
}
