import { PureComponent, type ReactNode } from "react"
import { t } from "../words/words"

interface State {
  hasFailed: boolean
}

/** Shows that its content failed, so that the rest of the page stays. */
export class Boundary extends PureComponent<{ /** Other content is tried anew. */ of: string; children?: ReactNode }, State> {
  override state: State = { hasFailed: false }

  static getDerivedStateFromError(): State {
    return { hasFailed: true }
  }

  componentDidUpdate(before: { of: string }): void {
    if (before.of !== this.props.of && this.state.hasFailed) this.setState({ hasFailed: false })
  }

  render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <main className="empty" role="alert">
        <h1>{t("failed.title")}</h1>
        <p>{t("failed.text")}</p>
        <button type="button" className="yes" onClick={() => location.reload()}>{t("failed.reload")}</button>
      </main>
    )
  }
}
