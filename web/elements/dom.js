// Stands in for what modules read of a DOM while they are imported, so that a server can import the elements. It can
// neither define nor render them.

export const HTMLElement = globalThis.HTMLElement ?? class {}
export const document = globalThis.document ?? { createTreeWalker() {} }
