import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

/**
 * The system's Chromium, headless, with a profile of its own.
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function launch(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'qkv-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })
  const close = async () => {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
  return { context, close }
}
