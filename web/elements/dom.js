// Stubs the parts of the DOM that modules read while being imported, so that a server can import the elements. The stub can neither define
// nor render them.

export const HTMLElement = globalThis.HTMLElement ?? class {}
export const document = globalThis.document ?? { createTreeWalker() {} }
