// The session of the room: trains a run in slices, and shows any of its steps on the reader's input. No DOM.

import { Trouble } from '../../files/trouble.js'
import { shownOf } from './model-picture.js'
import { openedLayer } from './opened-layer.js'
import { configOf, fromFile, toFile } from './saved-model.js'
import { snapshotAt } from './snapshots.js'
import { createRun } from './training-run.js'
import { createWatchedRun } from './watched-run.js'

/** @import { LearnAsks } from './learn.js' */
/** @import { Snapshot } from './snapshots.js' */
/** @typedef {ReturnType<typeof createWatchedRun>} WatchedRun */

/** Milliseconds of work between checks for messages. */
const SLICE = 40
/** Minimum milliseconds between pictures. */
const PICTURE = 90
/** Number of characters that a text model generates after the input. */
const WRITTEN = 60

const later = (/** @type {number} */ milliseconds) => new Promise(resolve => setTimeout(resolve, milliseconds))
const aborted = (/** @type {AbortSignal} */ signal) =>
  new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))

/**
 * Trains until the run ends, reaches its step or goal, or is cancelled.
 * @param {WatchedRun} own
 * @param {LearnAsks['train']['request']} request
 * @param {import('../../shell/room.js').Run<LearnAsks['train']['value']>} run
 * @param {() => void} publish sends pictures during training
 */
async function trainInSlices(own, { isRunning, pace, until, isStill, known }, { signal, emit }, publish) {
  const sent = { ...known }
  const isSlow = Number.isFinite(pace)
  const last = until ?? Number.POSITIVE_INFINITY
  let [drawn, pictureTime] = [0, 0]
  let isGoing = isRunning && !own.isEnded() && own.run.steps < last
  /** Returns the progress since the last call. */
  const news = () => {
    const progress = own.progress(sent)
    sent.losses += progress.losses.length
    sent.points += progress.points.length
    return { ...progress, isGoing }
  }
  // Spend at most a third of the time on pictures.
  const isDue = () =>
    (!isStill || own.progress(sent).points.length > 0) &&
    (isSlow || performance.now() - drawn > Math.max(PICTURE, 3 * pictureTime))
  await later(0)
  while (isGoing && !signal.aborted) {
    const start = performance.now()
    do {
      const isReached = own.step()
      isGoing = !own.isEnded() && own.run.steps < last && !(isReached && until === null)
    } while (isGoing && !isSlow && performance.now() - start < SLICE)
    if (!isGoing) break
    if (isDue()) {
      const before = performance.now()
      publish()
      drawn = performance.now()
      pictureTime = drawn - before
      emit(news()) // sent together with the picture, so that the page is drawn once
    }
    await later(isSlow ? 1000 / pace : 0)
  }
  return news()
}

/**
 * Creates the store of the reference, which is a kept run or one step of it.
 * @param {import('qkv').Qkv} qkv
 */
function createReference(qkv) {
  /**
   * The reference run; `at` is the step to show, null for the same step as the current run.
   * @type {{ viewer: ReturnType<typeof createRun>, snapshots: readonly Snapshot[], at: number | null } | undefined}
   */
  let reference

  function release() {
    reference?.viewer.dispose()
    reference = undefined
  }

  return {
    release,
    /** Releases the reference unless its run has this task, since other tasks have other inputs. @param {string} task */
    releaseUnless(task) {
      if (reference?.viewer.task.id !== task) release()
    },
    /** @param {WatchedRun} watched @param {LearnAsks['keep']['request']} request */
    keep({ run, snapshot, snapshotsTo }, { what, at, text }) {
      const shownAt = snapshot(at)
      release()
      reference = {
        viewer: createRun(qkv, run.task.id, run.settings, text),
        snapshots: what === 'step' ? [shownAt] : snapshotsTo(shownAt),
        at: what === 'step' ? shownAt.step : null,
      }
    },
    /** Returns the picture of the reference. @param {number} at displayed step of the current run @param {LearnAsks['show']['request']['probe']} probe */
    picture(at, probe) {
      if (!reference) return undefined
      const { step, state } = snapshotAt(reference.snapshots, reference.at ?? at)
      reference.viewer.parameters.loadStateDict(state)
      return { shownAt: step, shown: shownOf(qkv, reference.viewer, probe) }
    },
  }
}

/**
 * @param {import('qkv').Qkv} qkv
 * @returns {import('../../shell/room.js').Handlers<LearnAsks>}
 */
export function handlers(qkv) {
  /** @type {WatchedRun | undefined} */
  let watched
  const reference = createReference(qkv)
  /** Functions that send pictures, called during training. @type {Set<() => void>} */
  const pictures = new Set()

  function current() {
    if (!watched) throw new RangeError('no run is open.')
    return watched
  }

  /** @param {LearnAsks['show']['request']} request @returns {LearnAsks['show']['value']} */
  function picture({ at, probe, changes, why, isComparing, isRunning }) {
    const { run, snapshot, show, viewer } = current()
    const { isCausal } = run.task
    const shownAt = snapshot(at)
    const changed = show(shownAt, changes, !isRunning)
    const shown = shownOf(qkv, viewer, probe, { why, write: isRunning ? 0 : WRITTEN })
    if (!isComparing) reference.release()
    const other = reference.picture(shownAt.step, probe)
    return { shownAt: shownAt.step, shown, isCausal, changes, changed, reference: other }
  }

  function publish() {
    for (const draw of pictures) draw()
  }

  return {
    run(request) {
      reference.releaseUnless(request.task)
      watched?.dispose()
      watched = undefined
      watched = createWatchedRun(qkv, request)
      const { run, baseline, milliseconds, isOpened, progress } = watched
      const { inputs, outputs, T, L } = run.shape
      const characters = run.shape.corpus?.characters
      const { blocks, settings } = run
      return {
        key: request.key,
        shape: { inputs, outputs, T, L },
        characters,
        blocks,
        settings,
        baseline,
        milliseconds,
        isOpened,
        first: progress({ losses: 0, points: 0 }),
      }
    },

    train: (request, run) => trainInSlices(current(), request, run, publish),

    async show(request, { signal, emit }) {
      let newest = picture(request)
      if (!request.isRunning || request.at !== null) return newest
      emit(newest)
      const draw = () => {
        newest = picture(request)
        emit(newest)
      }
      pictures.add(draw)
      await aborted(signal)
      pictures.delete(draw)
      return newest
    },

    keep(request) {
      reference.keep(current(), request)
      return null
    },

    gradients: ({ at }) => current().gradients(at),

    saved({ task, settings, text, at, isConfig }) {
      const { step, state } = current().snapshot(at)
      const config = configOf(task, settings, step, text)
      const name = `${task}-seed${settings.seed}-step${step}`
      return isConfig
        ? { name: `${name}.json`, data: `${JSON.stringify(config, null, 2)}\n`, mime: 'application/json' }
        : { name: `${name}.safetensors`, data: toFile(state, config), mime: 'application/octet-stream' }
    },

    layer({ layer, head, from, at, probe, changes }) {
      const { snapshot, show, viewer } = current()
      show(snapshot(at), changes, false)
      return { ...openedLayer(qkv, viewer, probe, layer), head, from }
    },

    async file({ files }) {
      const json = files.find(({ name }) => /\.json$/i.test(name))
      const model = files.find(each => each !== json)
      if (!model) throw new Trouble('fileNoModel')
      return fromFile(new Uint8Array(await model.arrayBuffer()), await json?.text())
    },
  }
}
