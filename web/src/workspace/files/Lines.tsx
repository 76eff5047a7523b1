import { memo, useEffect, useLayoutEffect, useMemo, useRef } from "react"
import { cut } from "../../lib/visible"
import { useTones, type Tone } from "../../parts/highlight"
import { Pieces } from "../../parts/Plain"
import { t } from "../../words/words"

const linesPerBlock = 100
const longestLine = 4_000

interface Props {
  text: string
  language: string | undefined
  /** The line that is marked; 0: none. */
  line: number
  onLine: (line: number) => void
}

/** The lines of a text with their numbers. What is out of view costs no layout. */
export function Lines({ text, language, line, onLine }: Props) {
  const lines = useMemo(() => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n"), [text])
  const tones = useTones(text, language)
  const box = useRef<HTMLDivElement>(null)
  const isThere = line > 0 && line <= lines.length
  const shown = useRef(0)
  useLayoutEffect(() => {
    if (!isThere || shown.current === line) return
    shown.current = line
    box.current?.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" })
  }, [isThere, line])
  // The rows above are measured when they come into view. The line must not move then.
  useEffect(() => {
    if (!isThere) return
    const timer = requestAnimationFrame(() => box.current?.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" }))
    return () => cancelAnimationFrame(timer)
  }, [isThere])
  const blocks = useMemo(() => Array.from({ length: Math.ceil(lines.length / linesPerBlock) }, (_, index) => index * linesPerBlock), [lines])
  return (
    <div ref={box} className="lines" role="group" aria-label={t("files.content")} tabIndex={0} style={{ "--digits": String(lines.length).length }}
      onClick={(event) => {
        const number = event.target instanceof HTMLElement && event.target.className === "n" ? Number(event.target.dataset.n) : 0
        if (number <= 0) return
        // It stays where the finger is.
        shown.current = number
        onLine(number)
      }}>
      {blocks.map((from) => (
        <Block key={from} from={from} lines={lines} tones={tones} marked={line > from && line <= from + linesPerBlock ? line : 0} />
      ))}
    </div>
  )
}

interface BlockProps {
  from: number
  lines: string[]
  tones: [string, Tone][][] | null
  marked: number
}

const Block = memo(function Block({ from, lines, tones, marked }: BlockProps) {
  const own = lines.slice(from, from + linesPerBlock)
  return (
    <div className="block" style={{ containIntrinsicBlockSize: `auto ${own.length * 1.5}em` }}>
      {own.map((text, index) => {
        const number = from + index + 1
        return (
          <div key={number} className={number === marked ? "marked" : undefined} data-line={number}>
            <i className="n" data-n={number} aria-hidden="true" />
            <Text text={text} tones={tones?.[number - 1]} />
          </div>
        )
      })}
    </div>
  )
})

function Text({ text, tones }: { text: string; tones: [string, Tone][] | undefined }) {
  if (!tones || text.length > longestLine) return <bdi dir="ltr"><Pieces text={cut(text, longestLine)} /></bdi>
  return <bdi dir="ltr">{tones.map(([piece, tone], at) => <span key={at} className={tone && "h" + tone}><Pieces text={piece} /></span>)}</bdi>
}
