import { Store } from "../lib/store"

/** One line about what was just done, with what takes it back. */
export interface Toast {
  text: string
  undo?: () => void
}

export const toast = new Store<Toast | null>(null)

const shownMilliseconds = 10_000
let timer = 0

export function say(text: string, undo?: () => void): void {
  clearTimeout(timer)
  toast.set({ text, undo })
  timer = window.setTimeout(() => toast.set(null), shownMilliseconds)
}

export function hush(): void {
  clearTimeout(timer)
  toast.set(null)
}
