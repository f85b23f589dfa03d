// Runs the PyTorch programs that the page writes, all in one process, because importing torch takes a second.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const PYTHON = process.env.PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3')
const run = promisify(execFile)

/** The reason why PyTorch cannot run here; undefined if it can. @type {string | undefined} */
export const missing = await run(PYTHON, [
  '-c',
  'import importlib.util as u; print(u.find_spec("torch") is not None)',
]).then(
  ({ stdout }) => (stdout.trim() === 'True' ? undefined : `${PYTHON} has no torch`),
  error => error.message,
)

const RUNNER = `
import contextlib, io, json, sys, torch
torch.set_printoptions(threshold=10**9)  # every number
out = []
for text in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "program", "exec"), {})
    out.append(printed.getvalue())
print(json.dumps(out))`

/** Runs each program unchanged, and returns its output. @param {string[]} programs @returns {Promise<string[]>} */
export async function printedInPyTorch(programs) {
  const running = run(PYTHON, ['-c', RUNNER], { maxBuffer: 2 ** 26 })
  running.child.stdin?.end(JSON.stringify(programs))
  return JSON.parse((await running).stdout)
}

/** Reads the losses in the output of a program of Learn: one line each, "step loss". @param {string} printed */
export const lossesIn = printed =>
  printed
    .trim()
    .split('\n')
    .map(line => Number(line.split(' ')[1]))
