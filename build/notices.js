// Collects the licences of the packages whose code or data is in a bundle.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the folders of the packages to which modules belong. @param {Iterable<string>} ids paths of modules */
export const packagesOf = ids =>
  [
    ...new Set(
      [...ids].flatMap(id => id.replaceAll('\\', '/').match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
    ),
  ].sort()

/**
 * Returns the text of THIRD_PARTY_NOTICES.
 * @param {Iterable<string>} ids paths of modules
 */
export function notices(ids) {
  const parts = packagesOf(ids).map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find(found => /^licen[cs]e/i.test(found))
    if (!file || !existsSync(join(folder, file))) throw new Error(`${name} comes without the text of its licence`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return ['Parts of these files come from other projects, under their licences:\n', ...parts].join(
    `\n${'_'.repeat(72)}\n\n`,
  )
}

/** Lists the paths of a chunk's modules, without those that tree shaking removed. @param {{ modules: Record<string, { code: string | null }> }} chunk */
export const modulesOf = ({ modules }) => Object.keys(modules).filter(id => modules[id].code?.trim())

/**
 * Makes two plugins of Vite: `write` writes THIRD_PARTY_NOTICES into the output; `collect` adds the modules of workers to it.
 * @param {Set<string>} modules receives the paths of the bundled modules
 */
export function siteNotices(modules = new Set()) {
  const add = (/** @type {Iterable<string>} */ ids) => {
    for (const id of ids) modules.add(id)
  }
  /** @type {import('vite').Plugin} */
  const collect = {
    name: 'third-party-modules',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') add(modulesOf(file))
    },
  }
  /** @type {import('vite').Plugin} */
  const write = {
    name: 'third-party-notices',
    generateBundle: {
      order: 'post',
      handler() {
        this.emitFile({ type: 'asset', fileName: 'THIRD_PARTY_NOTICES.txt', source: notices(modules) })
      },
    },
  }
  return { add, collect, write }
}
