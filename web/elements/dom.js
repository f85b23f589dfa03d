// Stubs the parts of the DOM that modules read while being imported, so that a server can import the elements. With the stubs, elements can
// be neither registered nor rendered.

export const HTMLElement = globalThis.HTMLElement ?? class {}
export const document = globalThis.document ?? { createTreeWalker() {} }
