export type MarkKind = "wait" | "work" | "done" | "bad" | "idle"

/** A state by shape and colour. The words beside it say the same, so it is hidden from readers. */
export function Mark({ kind }: { kind: MarkKind }) {
  return <i className={"mark " + kind} aria-hidden="true" />
}
