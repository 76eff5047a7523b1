import { Plain } from "../../parts/Plain"
import { named, t } from "../../words/words"
import { doneOf, type Task } from "../tasks"
import { Head } from "./Head"

interface Props {
  tasks: readonly Task[]
  isOpen: boolean
  onToggle: () => void
}

/** The tasks that the session has set itself: `3/7` and the current one, or all of them. */
export function Tasks({ tasks, isOpen, onToggle }: Props) {
  const current = tasks.find((task) => task.state === "in_progress")
  return (
    <>
      <Head isOpen={isOpen} onToggle={onToggle}>
        <span className="tool">{t("tasks")}</span> <span className="num">{doneOf(tasks)}/{tasks.length}</span>
        {!isOpen && current && <span className="soft"> · <Plain text={current.text} /></span>}
      </Head>
      {isOpen && (
        <ul className="tasks">
          {tasks.map((task) => (
            <li key={task.id} className={"task " + task.state}>
              <span className="hear">{named("task", task.state)}: </span><span className="wrap" dir="auto"><Plain text={task.text} /></span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
