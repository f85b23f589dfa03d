#!/usr/bin/env bash
# Two array libraries in one Node process: the first session of onnxruntime-web defines the global Worker, which Node does not have. jax-js looks
# for that global each time it compiles a kernel, and if it is there, compiles for shared memory. The memory that jax-js made before the session is
# not shared, so no new kernel links; kernels that ran before go on working.
# Versions: @jax-js/jax 0.1.25, onnxruntime-web 1.30.0, Node 24.21. Exits 1 if this changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @jax-js/jax@0.1.25 onnxruntime-web@1.30.0 node@24.21.0 >/dev/null 2>&1
cat >meet.mjs <<'JS'
import { defaultDevice, init, numpy as np } from '@jax-js/jax'

// Encodes the smallest model: y = Identity(x), where x and y have one float32.
const bytes = (field, content) => [(field << 3) | 2, content.length, ...content]
const text = (field, string) => bytes(field, [...Buffer.from(string)])
const number = (field, value) => [field << 3, value]
const value = name => [...text(1, name), ...bytes(2, bytes(1, [...number(1, 1), ...bytes(2, bytes(1, number(1, 1)))]))]
const node = [...text(1, 'x'), ...text(2, 'y'), ...text(4, 'Identity')]
const graph = [...bytes(1, node), ...text(2, 'g'), ...bytes(11, value('x')), ...bytes(12, value('y'))]
const model = Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, 13))])

await init('wasm')
defaultDevice('wasm')
const ones = new Float32Array(1000).fill(1)
const compute = async operation => (await np.array(ones)[operation](2).data())[999]
const tried = async operation => compute(operation).catch(error => `${error.name}: ${error.message}`)

console.log('jax-js, products, before:', await tried('mul'))
console.log('global Worker:', typeof Worker)
const ort = await import('onnxruntime-web')
const session = await ort.InferenceSession.create(model)
const { y } = await session.run({ x: new ort.Tensor('float32', [7], [1]) })
console.log('onnxruntime-web:', y.data[0])
console.log('global Worker:', typeof Worker)
console.log('jax-js, products, again:', await tried('mul'))
console.log('jax-js, sums, for the first time:', await tried('add'))
process.exit()
JS
node_modules/.bin/node --version
node_modules/.bin/node meet.mjs | tee seen
grep -q '^jax-js, products, before: 2$' seen
grep -q '^onnxruntime-web: 7$' seen
[ "$(grep -c '^global Worker: undefined$' seen)" = 1 ] && [ "$(grep -c '^global Worker: function$' seen)" = 1 ]
grep -q '^jax-js, products, again: 2$' seen
grep -q '^jax-js, sums, for the first time: LinkError: .*memory' seen
echo 'as recorded on 2026-11-27'
