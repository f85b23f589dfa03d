// Installs the package as `npm install ./qkv-0.2.0.tgz` does: npm packs the build, which is unpacked into the node_modules of another
// project.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Makes a project with the package in its node_modules. */
export function install() {
  const project = mkdtempSync(join(tmpdir(), 'qkv-'))
  const installed = join(project, 'node_modules/qkv')
  /** @param {string} command @param {string[]} args @param {string} [cwd] @returns what it printed */
  const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' })
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', project], root)
  const tarball = join(project, readdirSync(project).find(name => name.endsWith('.tgz')) ?? '')
  mkdirSync(installed, { recursive: true })
  run('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'])
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return { project, installed, tarball, run, remove: () => rmSync(project, { recursive: true, force: true }) }
}
