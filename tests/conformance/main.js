// npm run conformance -- DIR: runs ONNX's node tests below DIR, as JSON or as model.onnx with test_data_set_*/*.pb.

import { existsSync } from 'node:fs'
import { load } from '../../src/entries/index.js'
import { runFolder } from './run-cases.js'

const folder = process.argv[2]
if (!folder) {
  console.error(
    'npm run conformance -- DIR: a folder of ONNX node tests is missing, such as onnx/backend/test/data/node',
  )
  process.exit(2)
}
if (!existsSync(folder)) {
  console.error(`npm run conformance: there is no folder ${folder}`)
  process.exit(2)
}
const { pass, fail, unreadable } = runFolder(await load(), folder, console.log)
if (pass === 0) console.log('no case passed: is this a folder of ONNX node tests?')
process.exitCode = pass > 0 && fail + unreadable === 0 ? 0 : 1
