import { useState } from "react"
import { asApiError } from "../api/errors"
import { get, part } from "../api/http"
import type { Prompt } from "../api/types"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"

interface Props {
  prompt: Prompt
  onRevealed: (prompt: Prompt) => void
}

/** Says that a part is masked, and shows it on demand. The server records who has read it. */
export function Reveal({ prompt, onRevealed }: Props) {
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const read = () => {
    setReading(true)
    setError(null)
    get<Prompt>("/v1/prompts/" + part(prompt.id), { reveal: "true" })
      .then(onRevealed)
      .catch((fault: unknown) => setError(explained(asApiError(fault))))
      .finally(() => setReading(false))
  }
  return (
    <>
      <div className="row">
        <p className="small grow">{t("masked.hint")}</p>
        <button type="button" disabled={isReading} onClick={read}>{t("masked.show")}</button>
      </div>
      <Fault error={error} />
    </>
  )
}
