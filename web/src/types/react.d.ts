// The part of React that this app uses. Debian packages no declarations.

declare module "react" {
  export type Key = string | number
  export type ReactNode = ReactElement | string | number | boolean | null | undefined | ReactNode[]
  export interface ReactElement {
    readonly type: unknown
    readonly props: unknown
    readonly key: Key | null
  }
  export interface Ref<T> {
    current: T | null
  }
  export interface Component<P> {
    (props: P): ReactElement | null
  }
  export class PureComponent<P, S> {
    constructor(props: P)
    readonly props: P & { children?: ReactNode }
    state: S
    setState(change: Partial<S>): void
  }
  export interface Context<T> {
    Provider: Component<{ value: T; children?: ReactNode }>
  }
  type Update<S> = (next: S | ((previous: S) => S)) => void
  type Effect = () => void | (() => void)

  export function useState<S>(initial: S | (() => S)): [S, Update<S>]
  export function useEffect(effect: Effect, dependencies?: readonly unknown[]): void
  export function useLayoutEffect(effect: Effect, dependencies?: readonly unknown[]): void
  export function useMemo<T>(make: () => T, dependencies: readonly unknown[]): T
  export function useCallback<F extends (...values: never[]) => unknown>(call: F, dependencies: readonly unknown[]): F
  export function useRef<T>(initial: T): { current: T }
  export function useRef<T>(initial: T | null): Ref<T>
  export function useReducer<S>(next: (state: S) => S, initial: S): [S, () => void]
  export function useId(): string
  export function useSyncExternalStore<S>(subscribe: (changed: () => void) => () => void, get: () => S): S
  export function memo<P>(component: Component<P>, equal?: (one: P, other: P) => boolean): Component<P>
  export function lazy<P>(load: () => Promise<{ default: Component<P> }>): Component<P>
  export const Fragment: Component<{ children?: ReactNode }>
  export const Suspense: Component<{ fallback?: ReactNode; children?: ReactNode }>
}

declare module "react/jsx-runtime" {
  import type { Key, ReactElement, ReactNode, Ref } from "react"

  type Attribute = string | number | boolean | null | undefined
  interface Handlers<T> {
    onClick?: (event: MouseEvent & { currentTarget: T }) => void
    onChange?: (event: { currentTarget: T; target: T }) => void
    onInput?: (event: { currentTarget: T; target: T }) => void
    onSubmit?: (event: Event & { currentTarget: T }) => void
    onKeyDown?: (event: KeyboardEvent & { currentTarget: T }) => void
    onScroll?: (event: { currentTarget: T }) => void
    onFocus?: (event: FocusEvent) => void
    onBlur?: (event: FocusEvent) => void
    onPointerDown?: (event: PointerEvent) => void
    onPointerMove?: (event: PointerEvent) => void
    onPointerLeave?: (event: PointerEvent) => void
    onClickCapture?: (event: MouseEvent) => void
    onPointerUp?: (event: PointerEvent) => void
    onToggle?: (event: { currentTarget: T }) => void
    onCancel?: (event: Event) => void
    onClose?: (event: Event) => void
  }
  interface Attributes<T> extends Handlers<T> {
    key?: Key | null
    ref?: Ref<T> | ((element: T | null) => void) | null
    children?: ReactNode
    className?: string | undefined
    style?: { [property: string]: string | number | undefined }
    htmlFor?: string
    tabIndex?: number
    hidden?: boolean
    defaultValue?: string | number | undefined
    defaultChecked?: boolean
    autoComplete?: string
    spellCheck?: boolean
    maxLength?: number
    readOnly?: boolean
    colSpan?: number
    [data: `data-${string}`]: Attribute
    [aria: `aria-${string}`]: Attribute
    [other: string]: unknown
  }

  export namespace JSX {
    type Element = ReactElement
    interface ElementClass {
      render(): unknown
    }
    interface ElementAttributesProperty {
      props: unknown
    }
    interface ElementChildrenAttribute {
      children: unknown
    }
    interface IntrinsicAttributes {
      key?: Key | null
    }
    type IntrinsicElements = {
      [Name in keyof HTMLElementTagNameMap]: Attributes<HTMLElementTagNameMap[Name]>
    } & { svg: Attributes<SVGSVGElement>; rect: Attributes<SVGRectElement>; line: Attributes<SVGLineElement>
      g: Attributes<SVGGElement>; text: Attributes<SVGTextElement>; path: Attributes<SVGPathElement>
      circle: Attributes<SVGCircleElement>; polyline: Attributes<SVGPolylineElement> }
  }
  export const jsx: unknown
  export const jsxs: unknown
  export const Fragment: unknown
}

declare module "react-dom/client" {
  import type { ReactNode } from "react"
  export function createRoot(element: Element): { render(node: ReactNode): void; unmount(): void }
}

declare module "react-dom" {
  export function flushSync(change: () => void): void
}
