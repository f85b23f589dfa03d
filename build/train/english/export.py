"""Writes the folder that the page ships: python3 export.py CHECKPOINT.pt TOKENIZER.json OUT

Matrices are int8 with one scale a row (max |w| / 127): packed.safetensors has NAME as I8 and NAME.scale as F32; vectors are F32. The page
unpacks it to model.safetensors (web/files/packed-weights.js). OUT/model.safetensors is written with --float, for other tools.
"""

import argparse
import json
import shutil
from pathlib import Path

import torch


def write_safetensors(path, tensors):
    kinds = {torch.float32: 'F32', torch.int8: 'I8'}
    header, at = {'__metadata__': {'format': 'pt'}}, 0
    for name, x in tensors.items():
        size = x.numel() * x.element_size()
        header[name] = {'dtype': kinds[x.dtype], 'shape': list(x.shape), 'data_offsets': [at, at + size]}
        at += size
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    with path.open('wb') as file:
        file.write(len(text).to_bytes(8, 'little') + text)
        for x in tensors.values():
            file.write(x.contiguous().numpy().tobytes())


def rounded(w):
    scale = w.abs().amax(1).clamp_min(1e-12) / 127
    return (w / scale[:, None]).round().to(torch.int8), scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('checkpoint', type=Path)
    parser.add_argument('tokenizer', type=Path)
    parser.add_argument('out', type=Path)
    parser.add_argument('--float', action='store_true')
    args = parser.parse_args()
    state = torch.load(args.checkpoint)
    weights, sizes = state['weights'], state['sizes']
    args.out.mkdir(parents=True, exist_ok=True)
    packed, whole = {}, {}
    # matrices first, so that the numbers of four bytes come after a multiple of four
    for name, w in weights.items():
        if w.dim() == 2:
            packed[name], _ = rounded(w)
    for name, w in weights.items():
        if w.dim() == 2:
            q, scale = rounded(w)
            packed[f'{name}.scale'] = scale
            whole[name] = q.float() * scale[:, None]
        else:
            packed[name] = whole[name] = w
    write_safetensors(args.out / 'packed.safetensors', packed)
    if args.float:
        write_safetensors(args.out / 'model.safetensors', whole)
    config = {
        'architectures': ['LlamaForCausalLM'],
        'model_type': 'llama',
        'vocab_size': sizes['vocab'],
        'hidden_size': sizes['d'],
        'intermediate_size': sizes['mlp'],
        'num_hidden_layers': sizes['layers'],
        'num_attention_heads': sizes['heads'],
        'num_key_value_heads': sizes['heads'],
        'head_dim': sizes['d'] // sizes['heads'],
        'hidden_act': 'silu',
        'max_position_embeddings': 128,
        'rms_norm_eps': 1e-5,
        'rope_theta': sizes['base'],
        'attention_bias': False,
        'mlp_bias': False,
        'tie_word_embeddings': True,
        'bos_token_id': 0,
        'eos_token_id': 0,
        'torch_dtype': 'float32',
    }
    (args.out / 'config.json').write_text(json.dumps(config, indent=1) + '\n')
    shutil.copyfile(args.tokenizer, args.out / 'tokenizer.json')
    (args.out / 'tokenizer_config.json').write_text(json.dumps({'tokenizer_class': 'PreTrainedTokenizerFast', 'bos_token': '<s>'}) + '\n')
    print(sum(w.numel() for w in weights.values()), 'parameters,', (args.out / 'packed.safetensors').stat().st_size, 'bytes, step', state['step'])


main()
