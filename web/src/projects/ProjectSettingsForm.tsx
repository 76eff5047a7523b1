import { useState } from "react"
import { useStore } from "../lib/store"
import { useUnsaved } from "../lib/unsaved"
import { Fault } from "../parts/Notice"
import { NeedsAdminister } from "../settings/NeedsAdminister"
import { useSaving } from "../settings/useSaving"
import { mayAdminister } from "../state/me"
import { t } from "../words/words"
import { DeleteProject } from "./DeleteProject"
import { ModelNames } from "./ModelNames"
import { changeProject, type Project } from "./requests"

interface Values {
  name: string
  description: string
  model: string
}

function valuesOf(project: Project): Values {
  const model = project.settings?.default_model
  return { name: project.name, description: project.description ?? "", model: typeof model === "string" ? model : "" }
}

interface Props {
  project: Project
  onSaved: (project: Project) => void
}

/** Name, description and model of a project, and its end. */
export function ProjectSettingsForm({ project, onSaved }: Props) {
  const isAdministrator = useStore(mayAdminister)
  const [values, setValues] = useState(() => valuesOf(project))
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSaving(valuesOf(project), async (next) => {
    const { default_model: _, ...others } = project.settings ?? {}
    const settings = { ...others, ...(next.model.trim() && { default_model: next.model.trim() }) }
    onSaved(await changeProject(project.id, {
      name: next.name.trim(), description: next.description.trim() || null, settings: Object.keys(settings).length > 0 ? settings : null,
    }))
  })
  const isChanged = JSON.stringify(values) !== JSON.stringify(saving.saved)
  useUnsaved(isChanged)
  const change = (some: Partial<Values>) => {
    saving.begin()
    setValues((now) => ({ ...now, ...some }))
  }
  if (!isAdministrator) return <NeedsAdminister />
  return (
    <form className="stack" onSubmit={(event) => {
      event.preventDefault()
      saving.save(values)
    }}>
      <label className="field"><b>{t("project.name")}</b>
        <input type="text" value={values.name} dir="auto" maxLength={200} required onChange={(event) => change({ name: event.target.value })} />
      </label>
      <label className="field"><b>{t("project.description")}</b>
        <textarea rows={2} value={values.description} dir="auto" maxLength={4000} onChange={(event) => change({ description: event.target.value })} />
      </label>
      <label className="field"><b>{t("project.model")}</b>
        <ModelNames id="project-models" />
        <input type="text" value={values.model} list="project-models" placeholder={t("start.modelHint")} spellCheck={false} autoCapitalize="off" dir="ltr"
          maxLength={128} onChange={(event) => change({ model: event.target.value })} />
      </label>
      <p className="small soft">{t("project.modelMeans")}</p>
      <Fault what={t("save.failed")} error={saving.error} />
      <div className="acts">
        <button type="submit" className="yes" disabled={!isChanged || !values.name.trim() || saving.state === "saving"}>{t("save")}</button>
        <button type="button" className="quiet" onClick={() => setDeleting(true)}>{t("project.delete")}</button>
        <span role="status" className="done small">{saving.state === "saved" && t("saved")}</span>
      </div>
      {isDeleting && <DeleteProject project={project} onClose={() => setDeleting(false)} />}
    </form>
  )
}
