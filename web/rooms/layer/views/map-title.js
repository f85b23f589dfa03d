// Names the origin of a map's numbers, such as a seed or a layer, and titles a map with it.

/** @import { SceneContext } from '../layer.js' */

/** @param {Pick<SceneContext, 'result' | 'isTrained'>} context */
export function originOf({ result, isTrained }) {
  const { model } = result.settings
  if (isTrained) return 'room'
  return model === 'heads' || model === 'multihead' ? 'random' : model
}

/** @param {Pick<SceneContext, 't' | 'result' | 'settings' | 'isTrained'>} context @param {string} map */
export function withOrigin(context, map) {
  const { t, result, settings } = context
  const origin = t(`mapOrigin.${originOf(context)}`, {
    seed: String(result.settings.seed),
    layer: result.settings.layer,
  })
  return t('mapOf', { map, origin: settings.edits.length ? t('mapOrigin.edited', { origin }) : origin })
}
