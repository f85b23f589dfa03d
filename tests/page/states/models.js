// Generates random actions of Models, with small models as files.

import fc from 'fast-check'
import { VIEW_NAMES } from '../../../web/attention-head/views/index.js'
import { room as models } from '../../../web/rooms/models/room.js'
import { handlers as modelsHandlers } from '../../../web/rooms/models/session.js'
import { defaultsOf, toLink } from '../../../web/shell/settings-link.js'
import { folder } from '../models-store.js'
import { ofRoom, qkv } from './harness.js'
import {
  answered,
  changes,
  flag,
  headAt,
  hidesNothing,
  index,
  inNode,
  maybe,
  place,
  saved,
  sentence,
  turn,
  wait,
  word,
} from './values.js'

const MODELS = ['gpt2-tiny', 't5-tiny', 'marian-tiny', 'bert-tiny', 'distilbert-sst-tiny']
const files = fc.constantFrom(...MODELS).map(name => folder(name))
const at = fc.record({ head: headAt, cell: maybe(place.map(place => ({ matrix: 'weights', ...place }))) })
const heads = fc.record({ layer: fc.nat(3), head: fc.nat(5) })
export const modelsSubject = () =>
  ofRoom(
    inNode(models, () => modelsHandlers(qkv)),
    {
      look: (_, properties) => hidesNothing(properties),
      links: fc
        .record({
          prompt: sentence,
          changes,
          at,
          graph: fc.constantFrom('', '80', '50 w1>a:input!', '80 9.9@9>a:input!'),
        })
        .map(patch => toLink(models.fields, { ...defaultsOf(models.fields), ...patch })),
      begin: async own => {
        own.act.bring(folder('gpt2-tiny'))
        await answered(own)
      },
      settled: turn,
      actions: {
        bring: fc.tuple(files),
        openSmaller: fc.tuple(fc.constantFrom('float16', 'int8')),
        openTyped: fc.tuple(fc.constantFrom('', 'nothing', 'http://elsewhere.org/x', 'gpt2')),
        pick: fc.tuple(fc.constantFrom(-1, 1), fc.nat(3)),
        enter: fc.tuple(fc.constantFrom('', 'nothing'), fc.constantFrom([], ['nothing'])),
        agree: fc.constant([]),
        refuse: fc.constant([]),
        drop: fc.constant(['hf:a/b']),
        cancel: fc.tuple(fc.constantFrom('open', 'run', 'graph', 'matters:heads', 'matters:positions')),
        runAgain: fc.constant([]),
        startAgain: fc.constant([]),
        dismiss: fc.constant([]),
        show: fc.tuple(
          fc.record(
            {
              picture: fc.constantFrom(...VIEW_NAMES),
              showing: fc.constantFrom('before', 'after', 'difference'),
              rankBy: fc.constantFrom(undefined, 'previous', 'first', 'entropy', 'example', 'similar'),
              hasMatters: flag,
              hasAllAdders: flag,
              hasBlock: flag,
              hasMany: flag,
              many: maybe(fc.array(sentence, { maxLength: 4 }).map(all => all.join('\n'))),
              manyBy: fc.constantFrom(undefined, 'previous', 'induction', 'entropy'),
              query: maybe(index),
              hasPrograms: flag,
              isOnlyHits: flag,
              isWithoutFirst: flag,
              least: fc.constantFrom(0, 0.5),
              against: fc.constantFrom(undefined, 'text', { layer: 1, head: 9 }, { layer: 0, head: 1 }),
              tab: fc.constantFrom('heads', 'prediction', 'changes'),
              row: maybe(index),
              patchLayer: fc.nat(3),
              beside: sentence,
            },
            { requiredKeys: [] },
          ),
        ),
        wait: fc.constant([[], undefined]),
        type: fc.tuple(sentence),
        readDraft: fc.tuple(sentence),
        dropDraft: fc.constant([]),
        bringBack: fc.constant([]),
        typeSource: fc.tuple(sentence),
        forget: fc.constant([]),
        mask: fc.tuple(index),
        exchange: fc.tuple(index, word),
        openHead: fc.tuple(maybe(headAt)),
        chooseHead: fc.tuple(headAt, flag),
        chooseStack: fc.tuple(fc.constantFrom('', 'encoder', 'decoder', 'cross')),
        rankSimilar: fc.tuple(heads),
        selectCell: fc.tuple(maybe(fc.record({ query: index, key: index }))),
        goToPlace: fc.tuple(
          fc
            .tuple(at, fc.constantFrom([], ['term', 1], ['q', 1], ['k', 99_999]))
            .map(([at, detail]) => ({ ...at, detail })),
        ),
        selectWord: fc.tuple(index, flag, fc.constantFrom('queries', 'keys')),
        change: fc.tuple(changes),
        hide: fc.tuple(headAt, index, index, flag),
        patch: fc.constant([]),
        sample: fc.constantFrom(['count', 3, 1, 200], ['temperature', 9, 0, 2], ['topK', 2, 1, 50]),
        generate: fc.tuple(fc.constantFrom(1, 3)),
        openInLayer: fc.constant(['back']),
        setGraph: fc.tuple(fc.constantFrom('', '80', '50 w1>a:input!', '80 9.9@9>a:input!', 'x')),
        agreeToGraph: fc.constant([]),
        setLens: fc.tuple(fc.constantFrom('', 'logit', 'logit 2.3 p7.300', 'logit 2.3 w5', 'logit 9.99', 'x', '2.3')),
        reveal: fc.constant(['#models-text']),
        takeWord: fc.tuple(fc.nat(500)),
        takeBack: fc.constant([]),
        openFromGraph: fc.tuple(at, index, fc.constantFrom('', 'encoder')),
        save: saved,
        copy: fc.constant(['pytorch', 'a']),
        goTo: fc.tuple(maybe(fc.nat(2))),
        openLens: fc.tuple(fc.constantFrom('', 'lens.pt', 'hf:a/b/lens.pt')),
        saveLens: fc.constant([]),
        goToLens: fc.tuple(maybe(fc.nat(5))),
      },
      more: [wait, wait, wait, wait],
    },
  )
