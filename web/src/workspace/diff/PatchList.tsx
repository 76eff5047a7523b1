import { useState, type ReactNode } from "react"
import { countChanges } from "../../lib/diff"
import { hunksOf } from "../../lib/patch"
import { visibleText } from "../../lib/visible"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Facts, statusWord } from "../git/FileDiff"
import type { Patch } from "../git/requests"
import { Counts } from "../git/StatusList"
import { Hunks } from "./Hunks"

/** So many lines are open at first; the files beyond them are one line each. */
const openLines = 1_500

/** The changes of several files, each of which folds. */
export function PatchList({ patches, rest }: { patches: readonly Patch[]; /** What stands below a patch that is cut. */ rest?: (patch: Patch) => ReactNode }) {
  let lines = 0
  return (
    <div className="patches">
      {patches.map((patch) => {
        lines += patch.diff.length / 40
        return <One key={patch.path_b64 ?? patch.path} patch={patch} isOpenFirst={lines < openLines} rest={rest} />
      })}
    </div>
  )
}

function One({ patch, isOpenFirst, rest }: { patch: Patch; isOpenFirst: boolean; rest?: (patch: Patch) => ReactNode }) {
  const [isOpen, setOpen] = useState(isOpenFirst)
  const counted = patch.additions === undefined && isOpen ? countChanges(hunksOf(patch.diff).flatMap((hunk) => hunk.lines)) : null
  return (
    <section className="patch" aria-label={visibleText(patch.path)}>
      <h3>
        <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <i className="turn" aria-hidden="true" />
          <span className="grow wrap">
            {patch.old_path && patch.old_path !== patch.path && <><span className="soft"><Plain text={patch.old_path} /></span> → </>}
            <Plain text={patch.path} /> <span className="soft small">{statusWord(patch)}</span>
          </span>
          <Counts added={patch.additions ?? counted?.added} removed={patch.deletions ?? counted?.removed} />
        </button>
      </h3>
      {isOpen && <Facts patch={patch} />}
      {isOpen && patch.diff && <Hunks patch={patch.diff} path={patch.path} />}
      {isOpen && patch.is_truncated && (rest?.(patch) ?? <p className="small warn facts-line">{t("git.cutFile")}</p>)}
    </section>
  )
}
