import { Store, useSelected } from "../lib/store"

/** What a person has typed and not sent, and what became of the attempt to send it. */
export interface Draft {
  text: string
  isSending: boolean
  error: string | null
}

const none: Draft = { text: "", isSending: false, error: null }

const key = "monitor.drafts"
/** So many are kept, the latest. */
const mostDrafts = 40
const longestText = 20_000

/** By session, or by prompt for the reason of a refusal; the one that was changed last is last. An empty draft is not kept. */
export const drafts = new Store<ReadonlyMap<string, Draft>>(read())

export function useDraft(of: string): Draft {
  return useSelected(drafts, (all) => all.get(of) ?? none)
}

/** A text that is kept like a draft, such as the reason of a refusal. */
export function useDraftText(of: string): [string, (text: string) => void] {
  return [useDraft(of).text, (text) => changeDraft(of, () => ({ text }))]
}

export function changeDraft(of: string, change: (draft: Draft) => Partial<Draft>): void {
  drafts.update((all) => {
    const was = all.get(of) ?? none
    const draft = { ...was, ...change(was) }
    const kept = new Map(all)
    kept.delete(of)
    if (draft.text || draft.isSending || draft.error) kept.set(of, draft)
    return kept
  })
  write(of)
}

export function dropDraft(of: string): void {
  if (drafts.get().has(of)) changeDraft(of, () => none)
}

/** Forgets what was typed for prompts that are open no more. */
export function dropClosed(open: ReadonlyMap<string, unknown>): void {
  for (const of of drafts.get().keys()) if (of.startsWith("prm_") && !open.has(of)) dropDraft(of)
}

/** At the end of a sign-in. */
export function forgetDrafts(): void {
  drafts.set(new Map())
  localStorage.removeItem(key)
}

function read(): Map<string, Draft> {
  return new Map(kept().map(([of, text]) => [of, { ...none, text }]))
}

function kept(): [string, string][] {
  try {
    const all = JSON.parse(localStorage.getItem(key) ?? "[]") as [string, string][]
    return all.filter(([of, text]) => typeof of === "string" && typeof text === "string")
  } catch {
    return []
  }
}

/** Other tabs keep the drafts of other sessions. */
function write(of: string): void {
  const others = kept().filter(([one]) => one !== of)
  const text = drafts.get().get(of)?.text ?? ""
  const all = text.trim() ? [...others, [of, text.slice(0, longestText)]].slice(-mostDrafts) : others
  try {
    if (all.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(all))
  } catch {
    // The browser has no room: they live as long as the page.
  }
}
