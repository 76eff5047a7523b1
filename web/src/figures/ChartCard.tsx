import { Fragment, useState, type ReactNode } from "react"
import { csv, saveFile } from "../lib/save"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"

interface Props {
  title: string
  /** Of the table behind the chart, the first one names its rows. */
  columns: string[]
  rows: (string | number)[][]
  /** How numbers are shown, for each column. */
  formats: ((value: number) => string)[]
  children?: ReactNode
}

/** A chart, the table behind it, and the table as a file. */
export function ChartCard({ title, columns, rows, formats, children }: Props) {
  // Thousands of rows that nobody looks at are not drawn again each second.
  const [isOpen, setOpen] = useState(false)
  const save = () => saveFile(new File([csv([columns, ...rows])], `${title}.csv`, { type: "text/csv" }))
  return (
    <section className="figure" aria-label={title}>
      <h2>{title}</h2>
      {children}
      <details onToggle={(event: { currentTarget: HTMLDetailsElement }) => setOpen(event.currentTarget.open)}>
        <summary className="small soft">{t("table")}</summary>
        {isOpen && <div className="scroll" tabIndex={0} role="group" aria-label={title}>
          <table>
            <thead><tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr></thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>{row.map((cell, column) => (
                  <Fragment key={column}>{column === 0 ? <th scope="row"><Plain text={String(cell)} /></th>
                    : <td className="num">{typeof cell === "number" ? (formats[column] ?? String)(cell) : cell}</td>}</Fragment>
                ))}</tr>
              ))}
            </tbody>
          </table>
        </div>}
        <button type="button" className="quiet" onClick={save}>{t("csv")}</button>
      </details>
    </section>
  )
}
