// A long press of a finger, in the place of Shift-click.

export { held, released, wasLong } from './pointing.js'
