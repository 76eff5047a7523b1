import { Store, useSelected } from "../lib/store"

/** What a person has typed for a session and not sent, and what became of the attempt to send it. */
export interface Draft {
  text: string
  isSending: boolean
  error: string | null
}

const none: Draft = { text: "", isSending: false, error: null }

/** By session, until the page is closed. An empty draft is not kept. */
const drafts = new Store<ReadonlyMap<string, Draft>>(new Map())

export function useDraft(session: string): Draft {
  return useSelected(drafts, (all) => all.get(session) ?? none)
}

export function changeDraft(session: string, change: (draft: Draft) => Partial<Draft>): void {
  drafts.update((all) => {
    const was = all.get(session) ?? none
    const draft = { ...was, ...change(was) }
    const kept = new Map(all)
    if (draft.text || draft.isSending || draft.error) kept.set(session, draft)
    else kept.delete(session)
    return kept
  })
}
