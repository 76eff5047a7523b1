import { useId } from "react"
import { oneLine } from "../lib/visible"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import type { Tool } from "./requests"
import { ToolDetail } from "./ToolDetail"

interface Props {
  tool: Tool
  isOpen: boolean
  onToggle: () => void
}

/** A tool in one row, and below it all that its server says of it. */
export function ToolItem({ tool, isOpen, onToggle }: Props) {
  const id = useId()
  return (
    <li data-tool={tool.offered ? undefined : tool.tool}>
      <h3><button type="button" className="quiet toolrow" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={onToggle}>
        <span className="row"><b className="clip"><Plain text={tool.tool} isCommand /></b>
          {tool.state === "changed" && <span className="tag wait">{t("tool.changed")}</span>}</span>
        {!isOpen && <span className="clip small soft">{tool.state === "unlisted" ? t("tool.nameOnly") : <Plain text={oneLine(tool.title || tool.description)} />}</span>}
      </button></h3>
      {isOpen && <div id={id} className="tooldetail stack"><ToolDetail tool={tool} /></div>}
    </li>
  )
}
