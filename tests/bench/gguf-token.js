// Measures a prompt and a token of a Q4_K_M and of a Q8_0 file, compared with the same file opened as int4 and as int8. Interleaved; prints the
// least time, because other programs may run. The model is a Llama of width 2560 with random blocks.
//   node tests/bench/gguf-token.js [rounds] [layers] [threads]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { writeModel } from './gguf-model.js'
import { report } from './options.js'
import { print } from './report.js'

const [ROUNDS, LAYERS, THREADS] = [15, 8, 1].map((usual, n) => Number(process.argv[2 + n] ?? usual))
const PROMPT = 128
const TOKENS = 12 // after each prompt

/** Returns a time in milliseconds: of the processor for one thread, else of the clock. */
function now() {
  if (THREADS > 1) return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-gguf-'))
  try {
    print([process.version, `prompt of ${PROMPT}, ms`, 'compared', 'token after it, ms', 'compared'])
    print(['---', '---', '---', '---', '---'])
    for (const [fileType, dtype] of /** @type {const} */ ([
      ['Q4_K_M', 'int4'],
      ['Q8_0', 'int8'],
    ])) {
      const path = join(folder, `${fileType}.gguf`)
      writeModel(path, fileType, LAYERS)
      const qkv = await load({ threads: THREADS })
      const models = [
        await loadModel(qkv, path, { tokenizer: false }),
        await loadModel(qkv, path, { tokenizer: false, dtype }),
      ]
      const least = models.map(() => ({ prompt: Infinity, token: Infinity }))
      const ids = Array.from({ length: PROMPT }, (_, n) => (n * 37) % 1000)
      for (let round = 0; round < ROUNDS; round++)
        for (const [n, model] of models.entries()) {
          const cache = model.cache({ capacity: 2 * PROMPT })
          const begun = now()
          model.forwardSync({ ids: [ids] }, { cache })
          const read = now()
          least[n].prompt = Math.min(least[n].prompt, read - begun)
          for (let token = 0, from = read; token < TOKENS; token++) {
            model.forwardSync({ ids: [[token]] }, { cache })
            const to = now()
            least[n].token = Math.min(least[n].token, to - from)
            from = to
          }
          cache.dispose()
        }
      for (const model of models) model.dispose()
      qkv.dispose()
      const [file, ours] = least
      print([dtype, ours.prompt.toFixed(0), '1', ours.token.toFixed(1), '1'])
      print([
        fileType,
        file.prompt.toFixed(0),
        (file.prompt / ours.prompt).toFixed(2),
        file.token.toFixed(1),
        (file.token / ours.token).toFixed(2),
      ])
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await report(main)
