// Run: PYTHON=python3 node tests/goldens/make-programs.js, where PYTHON has torch and transformers. Runs the exported PyTorch
// program of each case of tests/goldens/programs/cases.json on its golden checkpoint. Writes what each program prints, a digest of
// its text, and the texts of some programs for readers. With --texts it runs no program and keeps the numbers.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CASES, digestOf, FOLDER, programsOf, READABLE, rowsIn } from '../page/models-programs.js'

const RUN = `import contextlib, io, json, sys, torch
torch.set_num_threads(1)
found = []
for text, folder in json.load(sys.stdin):
    sys.argv = ["program.py", folder]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    found.append(out.getvalue())
json.dump(found, sys.stdout)`

const programs = CASES.map(programsOf)
const isRun = !process.argv.includes('--texts')
const folders = CASES.map(({ model }) => fileURLToPath(new URL(`models/${model}`, import.meta.url)))
const { stdout, stderr, status } = isRun
  ? spawnSync(process.env.PYTHON ?? 'python3', ['-c', RUN], {
      input: JSON.stringify(programs.map(({ pytorch }, n) => [pytorch, folders[n]])),
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
  : { stdout: '[]', stderr: '', status: 0 }
if (status !== 0) throw new Error(stderr)
const printed = JSON.parse(stdout)
const lines = CASES.map((each, n) => {
  const [before, after] = isRun ? rowsIn(printed[n]) : [each.before, each.after]
  const { node, pytorch } = programs[n]
  return JSON.stringify({ ...each, before, after, digests: { node: digestOf(node), pytorch: digestOf(pytorch) } })
})
writeFileSync(new URL('cases.json', FOLDER), `[\n${lines.join(',\n')}\n]\n`)
for (const { model, index } of READABLE) {
  writeFileSync(new URL(`${model}.py`, FOLDER), programs[index].pytorch)
  writeFileSync(new URL(`${model}.node.txt`, FOLDER), programs[index].node)
}
