const { load } = require('qkv')
const { results } = require('../results.js')

load().then(qkv => console.log(JSON.stringify(results(qkv))))
