import { useEffect, useRef, type ReactNode } from "react"
import { useId } from "react"

/** A modal dialog, as long as it is rendered. Escape closes it. */
export function Dialog({ title, onClose, className, children }: { title: string; onClose: () => void; className?: string; children?: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    if (dialog && !dialog.open) dialog.showModal()
  }, [])
  return (
    <dialog ref={element} className={className} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
