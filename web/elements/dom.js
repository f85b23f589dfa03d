// Stubs the parts of the DOM that modules read while being imported, so that a server can import the elements. A server cannot register or
// render them.

export const HTMLElement = globalThis.HTMLElement ?? class {}
export const document = globalThis.document ?? { createTreeWalker() {} }
