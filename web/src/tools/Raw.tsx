import { useState } from "react"
import { CopyButton } from "../parts/Code"
import { Plain } from "../parts/Plain"

/** JSON as it is, folded: the whole of what is shown in another form beside it. A long one is made once it is unfolded. */
export function Raw({ title, text: given }: { title: string; text: string | (() => string) }) {
  const [isOpen, setOpen] = useState(false)
  const text = isOpen ? (typeof given === "string" ? given : given()) : ""
  return (
    <details className="raw" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{title}</summary>
      {isOpen && (
        <div className="code">
          <pre className="cmd" tabIndex={0}><Plain text={text} isCommand /></pre>
          <CopyButton text={text} />
        </div>
      )}
    </details>
  )
}
