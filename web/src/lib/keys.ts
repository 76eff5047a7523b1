import { useLayoutEffect } from "react"

/** Whether the person types into something, so that letters are text and not commands. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null
  return !!target && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)
}

/**
 * Commands of single keys for the whole page, while the component is there.
 * @param once keys that do nothing while they are held down
 */
export function useKeys(commands: Record<string, (() => void) | undefined>, once = ""): void {
  // A layout effect: the next key acts on what is drawn, not on the view before it.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return
      if (document.querySelector("dialog[open]")) return
      const command = commands[event.key]
      if (!command) return
      event.preventDefault()
      if (event.repeat && once.includes(event.key)) return
      command()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  })
}
