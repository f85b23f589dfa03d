// Performs the effects that a room requests of the page.

/** @import { Host, Shell } from './shell.js' */
/** @template {string} N @typedef {Extract<import('./room.js').Effect<any>, { type: N }>} EffectOf */

/** @param {Shell} shell @param {Host} host @param {string} id id of the room @param {import('./room.js').Effect<any>} effect */
export function perform(shell, host, id, effect) {
  if (effect.type === 'message') shell.rooms.get(id)?.say(effect.problem, effect.isBad)
  else if (effect.type === 'reveal') host.reveal(effect.selector)
  else if (effect.type === 'focus') host.focus(effect.selector, effect.isLost)
  else if (effect.type === 'show') host.show(effect.id)
  else if (effect.type === 'save') host.save(effect.name, effect.data, effect.mime ?? 'application/octet-stream')
  else if (effect.type === 'link') shell.share()
  else if (effect.type === 'copy') copyFor(shell, host, id, effect)
  else if (effect.type === 'offer') {
    shell.state.offer = { room: id, what: effect.what }
    if (effect.what.type === 'sentence') shell.rooms.surround({ sentence: effect.what.text })
  } else if (effect.type === 'handOver') handOver(shell, id, effect)
}

/** @param {Shell} shell @param {Host} host @param {string} id @param {Pick<EffectOf<'copy'>, 'text' | 'said'>} effect */
export async function copyFor({ rooms }, host, id, { text, said }) {
  const isDone = await host.copy(text)
  if (!isDone) rooms.get(id)?.say({ key: 'copyFailed' }, true)
  else if (said) rooms.get(id)?.say({ key: said })
}

/** Hands data over to another room, and opens that room. @param {Shell} shell @param {string} id @param {Pick<EffectOf<'handOver'>, 'to' | 'what'>} effect */
export async function handOver(shell, id, { to, what }) {
  const isShown = () => shell.state.room === id
  if (!isShown()) return // the reader left the room before the session answered
  const isTaken = await shell.rooms.give(to, what)
  if (!isTaken || !isShown()) return // refused, or the reader opened another room meanwhile
  shell.visit(to, what.type === 'head' ? { room: id, text: what.from, to } : undefined, 0)
}
