import { t } from "../words/words"
import { Plain } from "./Plain"

/** A text of others in which each mask is marked, so that a person sees where something is not shown. */
export function Masked({ text, isMasked }: { text: string; isMasked: boolean }) {
  if (!isMasked) return <Plain text={text} isCommand />
  return (
    <>
      {text.split("***").map((piece, index) => [
        index > 0 && <mark key={index} className="masked" title={t("masked.part")}>***</mark>,
        <Plain key={index + " "} text={piece} isCommand />,
      ])}
    </>
  )
}
