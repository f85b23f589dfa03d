// Replaces the parts of a DOM that modules read while being imported, so that a server can import the elements. It can neither define nor
// render them.

export const HTMLElement = globalThis.HTMLElement ?? class {}
export const document = globalThis.document ?? { createTreeWalker() {} }
