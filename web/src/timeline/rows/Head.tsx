import type { ReactNode } from "react"

interface Props {
  isOpen: boolean
  onToggle: () => void
  children?: ReactNode
}

/** A line that unfolds what belongs to it. */
export function Head({ isOpen, onToggle, children }: Props) {
  return (
    <button type="button" className="fold" aria-expanded={isOpen} onClick={onToggle}>
      <i className="turn" aria-hidden="true" />
      <span className="grow">{children}</span>
    </button>
  )
}
