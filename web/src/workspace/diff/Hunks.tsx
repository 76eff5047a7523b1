import { useMemo, type ReactNode } from "react"
import { hunksOf, type Hunk } from "../../lib/patch"
import { useStore } from "../../lib/store"
import { Diff } from "../../parts/Diff"
import { Plain } from "../../parts/Plain"
import { layout } from "./layout"

const shownLines = 400

interface Props {
  patch: string
  /** By which the language is known. */
  path: string
  /** What can be done with a hunk. */
  acts?: (hunk: Hunk) => ReactNode
}

/** The changes of one file, each with its heading. */
export function Hunks({ patch, path, acts }: Props) {
  const hunks = useMemo(() => hunksOf(patch), [patch])
  const chosen = useStore(layout)
  return (
    <>
      {hunks.map((hunk, index) => (
        <div key={`${index} ${hunk.heading}`} className="hunk" data-line={hunk.start}>
          <div className="hunkhead">
            <code className="grow clip small soft"><Plain text={hunk.heading} isCommand /></code>
            {acts?.(hunk)}
          </div>
          <Diff lines={hunk.lines} shown={shownLines} name={path} layout={chosen} />
        </div>
      ))}
    </>
  )
}
