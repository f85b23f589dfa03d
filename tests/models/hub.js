// A fake hub on loopback ports that behaves like the public one (docs/models.md lists the facts). It lists files with sizes and hashes. Small files
// are redirected to the same origin, large ones to a signed address on another origin, which expires.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

/** @import { IncomingMessage as Request, ServerResponse as Response } from 'node:http' */

/**
 * @typedef {object} HubModel
 * @property {Record<string, Uint8Array>} files
 * @property {boolean} [isGated] true if only the token 'hf_member' can read its files
 * @property {boolean} [isPrivate] true if it appears not to exist without the token of a member
 * @property {string} [movedTo] its current id
 * @property {string[]} [branches] branches other than main, at the same commit
 *
 * @typedef {object} Fault a failure injected into requests
 * @property {RegExp} of matches `METHOD url`
 * @property {number} [times] number of requests to fail; default all
 * @property {number} [status]
 * @property {Record<string, string>} [headers]
 * @property {string | Uint8Array} [body] instead of the content
 * @property {number} [cut] number of bytes of the body after which the connection ends
 * @property {boolean} [isSilent] true to keep the connection open instead
 * @property {(body: Buffer) => Uint8Array} [change] changes the bytes that are sent
 */

const EXPOSED =
  'X-Repo-Commit,X-Request-Id,X-Error-Code,X-Error-Message,X-Total-Count,ETag,Link,Accept-Ranges,Content-Range,X-Linked-Size,X-Linked-ETag,X-Xet-Hash'

/**
 * Makes a function that hashes each file only the first time.
 * @param {(bytes: Uint8Array) => string} hash
 */
function once(hash) {
  /** @type {WeakMap<Uint8Array, string>} */
  const known = new WeakMap()
  return (/** @type {Uint8Array} */ bytes) => {
    const found = known.get(bytes) ?? hash(bytes)
    known.set(bytes, found)
    return found
  }
}
/** Returns the git blob hash of a file. */
const gitHash = once(bytes => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'))
const sha256 = once(bytes => createHash('sha256').update(bytes).digest('hex'))
/** Wraps the bytes of a file in a Buffer, without a copy. @param {Uint8Array} bytes */
const bufferOf = bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

const commitOf = (/** @type {HubModel} */ model) =>
  createHash('sha1')
    .update(
      Object.entries(model.files)
        .map(([name, bytes]) => name + sha256(bytes))
        .join(),
    )
    .digest('hex')
const isLarge = (/** @type {string} */ path) => /\.(safetensors|bin|gguf)$/.test(path)

/** @param {Response} response @param {number} status @param {Record<string, string | number>} headers @param {string | Uint8Array} [body] */
const reply = (response, status, headers = {}, body = '') => {
  response.writeHead(status, headers).end(body)
}
/** @param {Response} response @param {number} status @param {string} code @param {string} text */
const refuse = (response, status, code, text) =>
  reply(
    response,
    status,
    { 'x-error-code': code, 'x-error-message': text, 'content-type': 'application/json' },
    JSON.stringify({ error: text }),
  )

/** Returns the hub's entry for a file. @param {HubModel} model @param {string} name */
function factsOf({ files }, name) {
  const content = files[name]
  const lfs = isLarge(name)
    ? { sha256: sha256(content), oid: sha256(content), size: content.length, pointerSize: 134 }
    : undefined
  return { size: content.length, blobId: gitHash(content), oid: gitHash(content), ...(lfs && { lfs }) }
}

/** @typedef {{ id: string, model: HubModel, kind: string, hasBlobs: boolean }} Listing */

/**
 * Answers a request for the commit of a model, for its files or for some of them.
 * @param {Request} request @param {Response} response @param {URL} url @param {Listing} listing
 */
async function list(request, response, url, { id, model, kind, hasBlobs }) {
  const commit = commitOf(model)
  const json = { 'content-type': 'application/json; charset=utf-8' }
  if (kind === 'revision') {
    const siblings = Object.keys(model.files).map(name => ({
      rfilename: name,
      ...(hasBlobs && url.searchParams.has('blobs') && factsOf(model, name)),
    }))
    const body = {
      _id: '1',
      id,
      sha: commit,
      private: false,
      gated: model.isGated ? 'manual' : false,
      tags: ['license:mit'],
      siblings,
    }
    return reply(response, 200, json, JSON.stringify(body))
  }
  let text = ''
  for await (const part of request) text += part
  const wanted = kind === 'tree' ? Object.keys(model.files) : [JSON.parse(text).paths].flat()
  const list = wanted.map(name => ({
    type: 'file',
    path: name,
    ...factsOf(model, name),
    lastCommit: { id: commit, title: '', date: '' },
  }))
  return reply(response, 200, json, JSON.stringify(list))
}

/** Returns a function that sends files. All that it sends shares one limit, in bytes per second. @param {number} rate */
function createSender(rate) {
  let sent = 0
  const begun = performance.now()
  /**
   * Sends a file or a range of it.
   * @param {Request} request @param {Response} response @param {Buffer} content @param {Record<string, string>} headers @param {Fault} [fault]
   */
  return async function send(request, response, content, headers, fault) {
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
    const from = range ? Number(range[1]) : 0
    if (range && from >= content.length) return reply(response, 416, { 'content-range': `bytes */${content.length}` })
    const last = range ? Math.min(Number(range[2] || Infinity), content.length - 1) : content.length - 1
    let body = content.subarray(from, last + 1)
    if (fault?.change) body = Buffer.from(fault.change(body))
    response.writeHead(range ? 206 : 200, {
      'content-type': 'text/plain; charset=utf-8',
      'accept-ranges': 'bytes',
      'content-length': last + 1 - from,
      ...(range && { 'content-range': `bytes ${from}-${last}/${content.length}` }),
      ...headers,
      ...fault?.headers,
    })
    if (request.method === 'HEAD') return response.end()
    if (fault?.cut !== undefined) {
      response.write(body.subarray(0, fault.cut))
      if (!fault.isSilent) setTimeout(() => response.destroy(), 20)
      return
    }
    for (let at = 0; at < body.length; at += 65536) {
      const part = body.subarray(at, at + 65536)
      sent += part.length
      const wait = (1000 * sent) / rate - (performance.now() - begun)
      if (wait > 5) await new Promise(resolve => setTimeout(resolve, wait))
      if (response.destroyed) return
      if (!response.write(part)) await new Promise(resolve => setTimeout(resolve, 1))
    }
    response.end()
  }
}

/**
 * Answers a request to the hub.
 * @param {{ request: Request, response: Response, url: URL, fault?: Fault }} asked
 * @param {object} hub
 * @param {Record<string, HubModel>} hub.models by id
 * @param {boolean} hub.hasBlobs
 * @param {(path: string) => string} hub.sign the signature of a path of the storage
 * @param {ReturnType<typeof createSender>} hub.send
 * @param {string} hub.storage address of the storage
 */
async function answerHub({ request, response, url, fault }, { models, hasBlobs, sign, send, storage }) {
  const path = decodeURIComponent(url.pathname)
  const [, , id, kind, rest = ''] =
    /^\/(api\/resolve-cache\/models\/|api\/models\/|)((?:[\w.-]+\/)?[\w.-]+?)\/(resolve|revision|tree|paths-info|[0-9a-f]{40})(?:\/(.*))?$/.exec(
      path,
    ) ?? []
  const model = models[id]
  const isMember = request.headers.authorization === 'Bearer hf_member'
  if (request.headers.authorization && !/^Bearer hf_(member|other)$/.test(request.headers.authorization))
    return reply(response, 401, { 'x-error-message': 'Invalid credentials in Authorization header' })
  if (!model || (model.isPrivate && !isMember))
    return refuse(response, request.headers.authorization ? 404 : 401, 'RepoNotFound', 'Repository not found')
  if (model.movedTo) return reply(response, 301, { location: url.pathname.replace(id, model.movedTo) + url.search })
  const commit = commitOf(model)
  const revisions = ['main', commit, ...(model.branches ?? [])]
  const revision = kind.length === 40 ? kind : revisions.find(each => rest === each || rest.startsWith(`${each}/`))
  if (revision === undefined) return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${rest}`)
  const file = kind.length === 40 ? rest : rest.slice(revision.length + 1)

  if (['revision', 'tree', 'paths-info'].includes(kind))
    return list(request, response, url, { id, model, kind, hasBlobs })
  if (model.isGated && !isMember)
    return refuse(
      response,
      request.headers.authorization ? 403 : 401,
      'GatedRepo',
      `Access to model ${id} is restricted`,
    )
  const content = model.files[file]
  if (!content) return refuse(response, 404, 'EntryNotFound', 'Entry not found')
  response.setHeader('x-repo-commit', commit)
  if (isLarge(file)) {
    const place = `/${sha256(content)}`
    return reply(response, 302, {
      location: `${storage}${place}?Expires=1&Signature=${sign(place)}`,
      'x-linked-size': content.length,
      'x-linked-etag': `"${sha256(content)}"`,
    })
  }
  if (kind === 'resolve' && !model.isGated && !model.isPrivate)
    return reply(response, 307, {
      location: `/api/resolve-cache/models/${id}/${commit}/${file}?etag=1`,
      'x-linked-size': content.length,
    })
  return send(request, response, bufferOf(content), { etag: `"${gitHash(content)}"` }, fault)
}

/**
 * @param {Record<string, HubModel>} models by id
 * @param {{ latency?: number, rate?: number, hasBlobs?: boolean }} [options] latency: milliseconds before each response; rate:
 *   bytes per second of all storage responses together; hasBlobs: false for a list without sizes and hashes
 */
export async function startHub(models, { latency = 0, rate = Infinity, hasBlobs = true } = {}) {
  /** @type {Fault[]} */
  let faults = []
  /** @type {{ server: string, method: string, url: string, range: string | undefined, authorization: string | undefined, headers: Request['headers'] }[]} */
  const asked = []
  let secret = randomBytes(16)
  const sign = (/** @type {string} */ path) => createHmac('sha256', secret).update(path).digest('hex')
  const send = createSender(rate)

  /** @param {string} server @param {(request: Request, response: Response, url: URL, fault?: Fault) => unknown} answer */
  async function listen(server, answer) {
    const own = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request
      response.setHeader('access-control-allow-origin', headers.origin ?? '*')
      response.setHeader('access-control-expose-headers', EXPOSED)
      if (method === 'OPTIONS')
        return reply(response, 204, {
          'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
          'access-control-max-age': 86400,
        })
      asked.push({ server, method, url, range: headers.range, authorization: headers.authorization, headers })
      if (latency) await new Promise(resolve => setTimeout(resolve, latency))
      const fault = faults.find(({ of }) => of.test(`${method} ${url}`))
      if (fault?.times !== undefined && --fault.times <= 0) faults = faults.filter(each => each !== fault)
      if (fault?.status !== undefined || fault?.body !== undefined)
        return reply(response, fault.status ?? 200, fault.headers, fault.body)
      await answer(request, response, new URL(url, 'http://host'), fault)
    })
    await new Promise(resolve => own.listen(0, '127.0.0.1', () => resolve(undefined)))
    const { port } = /** @type {import('node:net').AddressInfo} */ (own.address())
    const close = () => {
      own.closeAllConnections()
      own.close()
    }
    return { url: `http://127.0.0.1:${port}`, close }
  }

  const storage = await listen('storage', (request, response, url, fault) => {
    const [, hash] = url.pathname.split('/')
    if (url.searchParams.get('Signature') !== sign(url.pathname)) return reply(response, 403, {}, 'Request has expired')
    const all = Object.values(models).flatMap(({ files }) => Object.values(files))
    const content = all.find(bytes => sha256(bytes) === hash)
    if (!content) return reply(response, 404)
    return send(request, response, bufferOf(content), { etag: `"${'e'.repeat(64)}"` }, fault)
  })

  const hub = await listen('hub', (request, response, url, fault) =>
    answerHub({ request, response, url, fault }, { models, hasBlobs, sign, send, storage: storage.url }),
  )

  return {
    url: hub.url,
    storage: storage.url,
    asked,
    commitOf: (/** @type {string} */ id) => commitOf(models[id]),
    /** @param {...Fault} given */
    break: (...given) => {
      faults = given
    },
    /** Makes all signed addresses so far expire. */
    expire: () => {
      secret = randomBytes(16)
    },
    close: () => {
      hub.close()
      storage.close()
    },
  }
}

/** Converts the files of a folder to byte arrays. @param {Record<string, Uint8Array | Blob>} folder */
export async function bytesOf(folder) {
  /** @type {Record<string, Uint8Array>} */
  const files = {}
  for (const [name, content] of Object.entries(folder))
    files[name] = content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content
  return files
}
