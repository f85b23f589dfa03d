#!/usr/bin/env bash
# The mean of 2^25 ones is 0.5 in onnxruntime-web 1.30.0: on its CPU build, ReduceMean adds the numbers one after the other in float32, where
# 2^24 + 1 is 2^24, so the second half adds nothing. MatMul with a column of ones gives the sum to 1e-6. Both models are valid ONNX of
# opset 13 on finite numbers. Exits 1 if this changes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund onnxruntime-web@1.30.0 >/dev/null
cat >run.cjs <<'JS'
const ort = require('onnxruntime-web')
// These encode a protobuf field: a number, or bytes.
const varint = n => (n < 128 ? [n] : [(n & 127) | 128, ...varint(Math.floor(n / 128))])
const field = (id, value) => typeof value === 'number' ? [id << 3, ...varint(value)] : [(id << 3) | 2, ...varint(value.length), ...value]
const text = (id, value) => field(id, [...Buffer.from(value)])
const tensor = (name, rank) => {
  const shape = Array.from({ length: rank }, (_, n) => field(1, text(2, `d${name}${n}`))).flat()
  return [...text(1, name), ...field(2, field(1, [...field(1, 1), ...field(2, shape)]))]
}
const model = (op, inputs, output) => {
  const node = [...inputs.flatMap(name => text(1, name)), ...text(2, 'y'), ...text(4, op)]
  const graph = [...field(1, node), ...text(2, 'g'), ...inputs.flatMap(name => field(11, tensor(name, 2))), ...field(12, tensor('y', output))]
  return Uint8Array.from([...field(1, 8), ...field(7, graph), ...field(8, [...text(1, ''), ...field(2, 13)])])
}
async function main() {
  ort.env.wasm.numThreads = 1
  const n = 2 ** 25
  const ones = new ort.Tensor('float32', new Float32Array(n).fill(1), [1, n])
  const mean = await ort.InferenceSession.create(model('ReduceMean', ['x'], 2))
  const [got] = (await mean.run({ x: ones })).y.data
  const column = new ort.Tensor('float32', ones.data, [n, 1])
  const product = await ort.InferenceSession.create(model('MatMul', ['x', 'w'], 2))
  const [sum] = (await product.run({ x: ones, w: column })).y.data
  console.log(`onnxruntime-web ${ort.env.versions.web}: ReduceMean of 2^25 ones is ${got}; MatMul with ones, divided by 2^25, is ${sum / n}`)
  process.exitCode = got === 0.5 ? 0 : 1
}
main()
JS
node run.cjs
