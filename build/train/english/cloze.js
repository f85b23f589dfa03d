// 100 beginnings of simple English sentences, each with words that a reader finds plausible next; and ten sentences that anyone might type.
// All were written by hand, not by the grammar, before the model was measured on them.

const list = (/** @type {string} */ words) => words.split(' ')

/** @type {readonly [text: string, words: readonly string[]][]} */
export const CLOZE = [
  ['The baby is crying because she is', list('hungry tired sick sad cold thirsty scared afraid alone wet not so')],
  [
    'I put the milk in the',
    list('fridge cup bottle glass kitchen bag box bowl coffee tea refrigerator pot basket cupboard'),
  ],
  ['He drank a glass of', list('water milk juice wine lemonade orange beer hot')],
  ['She ate a piece of', list('cake bread cheese chocolate pie fruit meat pizza apple fish chicken')],
  [
    'The bird flew over the',
    list(
      'house trees tree river sea city wall fence hill garden forest field mountain lake roof park street bridge water village island',
    ),
  ],
  ['We went to the beach to', list('swim play relax see have look eat meet walk read watch sit sleep take go')],
  ['The sun is very', list('hot bright warm far big strong beautiful large high old')],
  ['In winter it is very', list('cold dark snowy windy quiet white')],
  [
    'My brother plays',
    list(
      'football the tennis basketball guitar piano soccer chess with in baseball violin games drums cards hockey volleyball',
    ),
  ],
  ['She opened the window because it was', list('hot warm sunny too stuffy very so dark cold raining nice')],
  [
    'The farmer has many',
    list(
      'cows animals sheep horses pigs chickens hens goats fields ducks trees children friends potatoes vegetables things',
    ),
  ],
  ['My mother cooked dinner in the', list('kitchen evening house oven living')],
  ['We sleep in a', list('bed house tent room bedroom hotel small big')],
  ['He is so strong that he can', list('carry lift break move pull push win open do run climb throw build not')],
  ['I brush my teeth every', list('day morning night evening')],
  ['The teacher wrote on the', list('board blackboard wall paper book table desk')],
  ['The king lived in a big', list('castle house palace city and old')],
  [
    'I wrote a letter to my',
    list(
      'friend mother father sister brother grandmother aunt uncle parents teacher family best mom grandfather dad cousin son daughter',
    ),
  ],
  [
    'The dog ran after the',
    list('cat ball rabbit boy bird car mouse children man girl stick fox horse other duck bone chicken'),
  ],
  ['He was late because he missed the', list('bus train plane boat car first')],
  ['She wore a beautiful red', list('dress hat coat scarf skirt shirt sweater ring jacket flower shoes')],
  [
    'The children are playing in the',
    list('garden park street house snow yard water playground school room sand field forest rain kitchen sun living'),
  ],
  ['It was raining, so I took my', list('umbrella coat raincoat hat boots jacket')],
  ['The cat climbed up the', list('tree wall roof stairs fence house ladder mountain hill')],
  ['I like to read', list('books a stories the about in and comics newspapers poems at it with')],
  ['The fish swims in the', list('water sea river lake pond ocean pool')],
  ['He took a picture with his', list('camera phone friend new friends family')],
  [
    'My favorite food is',
    list(
      'pizza rice bread soup cheese pasta fish chicken chocolate ice cake salad fruit noodles meat spaghetti eggs honey potatoes sandwiches cookies pancakes beans',
    ),
  ],
  ['She cut the bread with a', list('knife sharp big long')],
  ['I am going to bed because I am', list('tired sick sleepy very so ill not too hungry cold')],
  ['The moon and the', list('stars sun sky earth star clouds')],
  [
    'One day the princess met a',
    list(
      'frog prince dragon boy man witch young wolf giant king poor girl bear handsome friend strange little fox troll',
    ),
  ],
  ['He knocked on the', list('door window wall')],
  ['I have two hands and two', list('feet eyes ears legs arms hands')],
  ['The train stopped at the', list('station next bridge city end village')],
  ['Please close the', list('door window book gate box curtains')],
  ['I lost my keys and could not open the', list('door car house box window gate')],
  ['My grandfather told me a', list('story secret joke lie tale funny long')],
  [
    'She was afraid of the',
    list('dark dog spider big water wolf snake storm ghost lion monster dragon thunder witch bear giant'),
  ],
  ['The doctor gave him some', list('medicine pills advice water tea')],
  ['A week has seven', list('days')],
  ['The grass is', list('green wet long tall always')],
  ['Lemons are sour, but sugar is', list('sweet not')],
  [
    'An elephant is bigger than a',
    list('mouse dog cat lion horse cow man rabbit tiger bear sheep monkey pig car goat fox frog wolf human duck'),
  ],
  ['She sang a song and everyone', list('clapped danced listened was laughed cheered sang smiled liked loved')],
  ['The boy fell and hurt his', list('knee leg arm head foot hand finger back')],
  ['He said thank you and', list('smiled went left walked gave goodbye hugged said he ran laughed kissed took they')],
  ['The movie was so funny that we', list('laughed all could could')],
  ['At night I look at the', list('stars moon sky star')],
  ['We planted flowers in the', list('garden park yard spring field ground')],
  ['I would like a cup of', list('tea coffee milk water hot chocolate')],
  ['The old man walked with a', list('stick cane dog friend limp smile small little')],
  [
    'She gave her mother a',
    list('flower kiss present hug gift book letter cup rose ring cake picture hat beautiful new big small scarf'),
  ],
  ['They lived happily ever', list('after')],
  ['Once upon a', list('time')],
  ['He put on his hat and', list('coat went left his ran walked gloves scarf shoes said he')],
  ['The soup is too', list('hot salty cold spicy')],
  ['I bought a ticket for the', list('train bus movie concert theater museum game cinema plane show zoo boat')],
  ['The ship sailed across the', list('sea ocean river water lake world')],
  [
    'He was angry because his brother broke his',
    list('toy car phone bike bicycle robot arm leg watch new camera glasses clock train guitar kite'),
  ],
  ['The bakery sells bread and', list('cakes cake cookies milk butter pies rolls cheese chocolate')],
  [
    'When I grow up, I want to be a',
    list(
      'doctor teacher pilot singer scientist farmer writer nurse firefighter painter dentist cook driver policeman musician soldier baker vet king sailor fisherman mechanic carpenter hunter librarian good tailor gardener miner waiter shoemaker postman',
    ),
  ],
  ['You must not tell', list('anyone a him her anybody the lies them me your my it')],
  ['The two friends walked home', list('together and from in after through slowly without')],
  ['A spider has eight', list('legs eyes')],
  ['She looked in the mirror and saw', list('her a herself the that an')],
  ['The water is too cold to', list('swim drink go')],
  ['I do not know the answer to this', list('question')],
  [
    'His name is',
    list(
      'Tom Ben Max Leo Sam Otto Jack Tim Peter John Paul Henry David Adam Noah Luke Oscar Felix Jacob Finn Mark James Daniel Alex Bob Simon Toby Oliver Will George Mr Buddy Rex Milo',
    ),
  ],
  [
    'Her hair is long and',
    list('brown black blond dark curly blonde red beautiful straight her white golden yellow soft gray'),
  ],
  ['We drove to the city by', list('car bus taxi train truck')],
  ['The apple fell from the', list('tree table sky')],
  ['She made a cake for his', list('birthday mother friend party sister brother wife family')],
  ['Good morning, how are', list('you')],
  ['Nice to meet', list('you')],
  ['The window is broken, and we must', list('repair fix buy clean mend pay be call replace close')],
  ['He works in a hospital because he is a', list('doctor nurse')],
  ['The wolf said to the little', list('girl pig boy sheep lamb rabbit goat bird mouse pigs red fox')],
  ['My sister is older than', list('me my I you her him')],
  ['It is dark, please turn on the', list('light lamp lights')],
  [
    'Can you help me to find my',
    list(
      'dog keys cat way key book mother hat ball bag phone glasses friend ring shoes father pencil toy money house sister brother mom umbrella coat',
    ),
  ],
  ['The snow is cold and', list('white wet soft the')],
  [
    'After lunch we',
    list(
      'went played go had walked watched ate were read took all played are can will sat cleaned visited washed swam baked drank',
    ),
  ],
  ['I cannot sleep because the music is too', list('loud')],
  ['The bear was hungry and looked for', list('food honey something fish a the some berries meat')],
  [
    'The girl was so happy that she',
    list('danced laughed cried jumped smiled sang could began started hugged was wanted'),
  ],
  ['He washed his hands with', list('soap water cold a warm hot')],
  ['Dogs and cats are', list('animals pets not friends good very my')],
  ['My house has a red', list('door roof')],
  ['The clock on the wall says it is', list('time ten five three six eight two four nine seven twelve late one')],
  [
    'In the forest they saw a big',
    list(
      'bear tree wolf fox house bird owl deer snake animal brown lion rabbit monster black cave elephant dragon frog horse monkey giant',
    ),
  ],
  ['He forgot to do his', list('homework')],
  ['The plane flies high in the', list('sky air clouds')],
  ['She was sad because her friend moved to another', list('city town country house school village place')],
  [
    'I am hungry. Let us eat',
    list('something some lunch dinner the a bread pizza soup breakfast together an rice cake'),
  ],
  ['The rabbit ran into its', list('hole home house')],
  ['Tom and Anna are friends. Tom gave a book to', list('Anna')],
  ['Lucy has a cat. The cat belongs to', list('Lucy her')],
  ['Summer is hot, and winter is', list('cold not')],
  ['I close my eyes and', list('sleep dream go think see fall I try listen wait smile')],
]

export const SENTENCES = [
  'My name is Peter and I live in',
  'The dog ran into the garden because',
  'Once upon a time there was a little girl who',
  'I am very tired today, so I will',
  'She looked at me and said',
  'What is your favorite animal?',
  'The weather is beautiful and the children',
  'I love my family because',
  'In the morning I usually drink a cup of',
  'The king had three sons. The youngest',
]
