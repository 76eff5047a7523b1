import type { ReactNode } from "react"

interface Props {
  name: ReactNode
  /** Lines below the name. */
  facts?: ReactNode
  /** What can be done with it: beside the name, and below it where there is no room. */
  acts?: ReactNode
}

/** A row of a list in the settings. */
export function Entry({ name, facts, acts }: Props) {
  return (
    <li className="entryrow">
      <div className="facts-of">
        <p className="wrap">{name}</p>
        {facts && <p className="soft small num">{facts}</p>}
      </div>
      {acts && <div className="acts-of">{acts}</div>}
    </li>
  )
}
