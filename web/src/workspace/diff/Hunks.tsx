import { useEffect, useMemo, useRef, useState, type ReactNode } from "react"
import { hunksOf, type Hunk } from "../../lib/patch"
import { useStore } from "../../lib/store"
import { Diff } from "../../parts/Diff"
import { Plain } from "../../parts/Plain"
import { layout, type Layout } from "./layout"
import { whenNear } from "./near"

const shownLines = 400
/** Of a patch with more lines, only the hunks near to what is in view are drawn. */
const drawnLines = 1_500
/** Of a hunk that is not drawn, in CSS pixels. */
const [headHeight, lineHeight] = [52, 20.3]

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
  const isLong = hunks.reduce((sum, hunk) => sum + Math.min(hunk.lines.length, shownLines), 0) > drawnLines
  return (
    <>
      {hunks.map((hunk, index) => {
        const props = { hunk, path, layout: chosen, acts }
        const key = `${index} ${hunk.heading}`
        return isLong ? <WhenNear key={key} {...props} /> : <div key={key} className="hunk" data-line={hunk.start}><Content {...props} /></div>
      })}
    </>
  )
}

interface OneProps {
  hunk: Hunk
  path: string
  layout: Layout
  acts: Props["acts"]
}

/** A hunk that is drawn when it comes near, and has about its height until then. */
function WhenNear(props: OneProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => box.current && !isNear ? whenNear(box.current, () => setNear(true)) : undefined, [isNear])
  const { start, lines } = props.hunk
  const height = headHeight + Math.min(lines.length, shownLines) * lineHeight
  return (
    <div ref={box} className="hunk" data-line={start} tabIndex={-1} style={isNear ? undefined : { blockSize: height }}>
      {isNear && <Content {...props} />}
    </div>
  )
}

function Content({ hunk, path, layout: chosen, acts }: OneProps) {
  return (
    <>
      <div className="hunkhead">
        <code className="grow clip small soft"><Plain text={hunk.heading} isCommand /></code>
        {acts?.(hunk)}
      </div>
      <Diff lines={hunk.lines} shown={shownLines} name={path} layout={chosen} />
    </>
  )
}
