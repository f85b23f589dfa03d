// The elements in JSX, for React 19: import type {} from 'qkv/elements/react'

import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import type {
  DeepMapEvents,
  ExerciseEvents,
  FlowEvents,
  HeadsEvents,
  HeatmapEvents,
  QkvDeepMap,
  QkvExercise,
  QkvFlow,
  QkvHeads,
  QkvHeatmap,
  QkvTrace,
  TraceEvents,
} from '../elements.js'

/** Properties as props, and events as `on` plus their names. */
type Props<Element, Events> = DetailedHTMLProps<HTMLAttributes<Element>, Element> &
  Partial<Omit<Element, keyof HTMLElement>> & {
    [Name in keyof Events & string as `on${Name}`]?: (event: CustomEvent<Events[Name]>) => void
  }

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'qkv-heatmap': Props<QkvHeatmap, HeatmapEvents>
      'qkv-heads': Props<QkvHeads, HeadsEvents>
      'qkv-flow': Props<QkvFlow, FlowEvents>
      'qkv-deep-map': Props<QkvDeepMap, DeepMapEvents>
      'qkv-trace': Props<QkvTrace, TraceEvents>
      'qkv-exercise': Props<QkvExercise, ExerciseEvents>
    }
  }
}
