// Writes the PyTorch code that prints the layer readout. It is appended to the program that makes the reader's changes.

import { blockOf, furtherOf, pytorchProgram } from './pytorch.js'

/** Python code that transforms a state before the unembedding. @type {Record<import('../models.js').LensKind, string>} */
const CARRY = {
  logit: `\
        h = states[layer]
`,
  jacobian: `\
        h = states[layer]
        if layer in carry:
            h = h @ carry[layer].float().T
`,
  tuned: `\
        h = states[layer]
        if layer in carry["weight"]:
            h = h + h @ carry["weight"][layer].float().T + carry["bias"][layer].float()
`,
}
/** Python code that loads the lens. @type {Record<import('../models.js').LensKind, string>} */
const FILE = {
  logit: '',
  jacobian: 'carry = torch.load(sys.argv[2], weights_only=True)["J"]\n',
  tuned: 'carry = torch.load(sys.argv[2], weights_only=True)\n',
}

/**
 * @param {import('./node.js').Task} task
 * @param {{ lens: import('../models.js').LensKind, layers: number, first: number, count: number }} grid
 */
export function lensProgram(task, { lens, layers, first, count }) {
  const read = task.text === undefined ? 'str(id)' : 'tokenizer.decode([id])'
  return `${pytorchProgram(task)}
# What each layer says: what leaves a layer${lens === 'logit' ? '' : ', carried by the lens,'} takes the place of what leaves the last layer.
${lens === 'logit' ? '' : '# python program.py FOLDER LENS.pt: the lens is a file that this page has saved.\n'}\
${task.text === undefined ? '' : `tokenizer = AutoTokenizer.from_pretrained(folder${furtherOf(task)})\n`}\
${FILE[lens]}\
blocks = [model.get_submodule(f"${blockOf(task.type)}") for layer in range(${layers})]
states = {}


def of(output):
    return output[0] if isinstance(output, tuple) else output


def keep(layer):
    def hook(module, args, output):
        states[layer] = of(output).clone()
    return hook


def put(layer):
    def hook(module, args, output):
${CARRY[lens]}        return (h, *output[1:]) if isinstance(output, tuple) else h
    return hook


def run(hooked, hook):
    handle = hooked.register_forward_hook(hook)
    with torch.no_grad():
        logits = model(input_ids=ids).logits[0, ${first}:${first + count}]
    handle.remove()
    return logits.softmax(-1).max(-1)


for layer, block in enumerate(blocks):
    run(block, keep(layer))
for layer in reversed(range(${layers})):
    shares, found = run(blocks[-1], put(layer))
    print("layer", layer + 1)
    for share, id in zip(shares.tolist(), found.tolist()):
        print(id, f"{share:.6f}", ${read})
`
}
