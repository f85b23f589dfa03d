using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);

const main :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [
    (name = "edge/main.js", esModule = embed "main.js"),
    (name = "results.js", esModule = embed "../results.js"),
    (name = "edge/qkv", esModule = embed "../node_modules/qkv/dist/index.js"),
    (name = "edge/core.js", esModule = embed "../node_modules/qkv/dist/core.js"),
    (name = "edge/qkv/qkv.wasm", wasm = embed "../node_modules/qkv/dist/qkv.wasm"),
  ]
);
