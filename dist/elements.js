// node_modules/@lit/reactive-element/css-tag.js
var e = globalThis, t = e.ShadowRoot && (e.ShadyCSS === void 0 || e.ShadyCSS.nativeShadow) && "adoptedStyleSheets" in Document.prototype && "replace" in CSSStyleSheet.prototype, n = Symbol(), r = /* @__PURE__ */ new WeakMap(), i = class {
	constructor(e, t, r) {
		if (this._$cssResult$ = !0, r !== n) throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");
		this.cssText = e, this.t = t;
	}
	get styleSheet() {
		let e = this.o, n = this.t;
		if (t && e === void 0) {
			let t = n !== void 0 && n.length === 1;
			t && (e = r.get(n)), e === void 0 && ((this.o = e = new CSSStyleSheet()).replaceSync(this.cssText), t && r.set(n, e));
		}
		return e;
	}
	toString() {
		return this.cssText;
	}
}, a = (e) => new i(typeof e == "string" ? e : e + "", void 0, n), o = (e, ...t) => new i(e.length === 1 ? e[0] : t.reduce((t, n, r) => t + ((e) => {
	if (!0 === e._$cssResult$) return e.cssText;
	if (typeof e == "number") return e;
	throw Error("Value passed to 'css' function must be a 'css' function result: " + e + ". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.");
})(n) + e[r + 1], e[0]), e, n), s = (n, r) => {
	if (t) n.adoptedStyleSheets = r.map((e) => e instanceof CSSStyleSheet ? e : e.styleSheet);
	else for (let t of r) {
		let r = document.createElement("style"), i = e.litNonce;
		i !== void 0 && r.setAttribute("nonce", i), r.textContent = t.cssText, n.appendChild(r);
	}
}, c = t ? (e) => e : (e) => e instanceof CSSStyleSheet ? ((e) => {
	let t = "";
	for (let n of e.cssRules) t += n.cssText;
	return a(t);
})(e) : e, { is: l, defineProperty: u, getOwnPropertyDescriptor: d, getOwnPropertyNames: f, getOwnPropertySymbols: p, getPrototypeOf: m } = Object, h = globalThis, g = h.trustedTypes, _ = g ? g.emptyScript : "", v = h.reactiveElementPolyfillSupport, y = (e, t) => e, b = {
	toAttribute(e, t) {
		switch (t) {
			case Boolean:
				e = e ? _ : null;
				break;
			case Object:
			case Array: e = e == null ? e : JSON.stringify(e);
		}
		return e;
	},
	fromAttribute(e, t) {
		let n = e;
		switch (t) {
			case Boolean:
				n = e !== null;
				break;
			case Number:
				n = e === null ? null : Number(e);
				break;
			case Object:
			case Array: try {
				n = JSON.parse(e);
			} catch {
				n = null;
			}
		}
		return n;
	}
}, x = (e, t) => !l(e, t), S = {
	attribute: !0,
	type: String,
	converter: b,
	reflect: !1,
	useDefault: !1,
	hasChanged: x
};
Symbol.metadata ??= Symbol("metadata"), h.litPropertyMetadata ??= /* @__PURE__ */ new WeakMap();
var C = class extends HTMLElement {
	static addInitializer(e) {
		this._$Ei(), (this.l ??= []).push(e);
	}
	static get observedAttributes() {
		return this.finalize(), this._$Eh && [...this._$Eh.keys()];
	}
	static createProperty(e, t = S) {
		if (t.state && (t.attribute = !1), this._$Ei(), this.prototype.hasOwnProperty(e) && ((t = Object.create(t)).wrapped = !0), this.elementProperties.set(e, t), !t.noAccessor) {
			let n = Symbol(), r = this.getPropertyDescriptor(e, n, t);
			r !== void 0 && u(this.prototype, e, r);
		}
	}
	static getPropertyDescriptor(e, t, n) {
		let { get: r, set: i } = d(this.prototype, e) ?? {
			get() {
				return this[t];
			},
			set(e) {
				this[t] = e;
			}
		};
		return {
			get: r,
			set(t) {
				let a = r?.call(this);
				i?.call(this, t), this.requestUpdate(e, a, n);
			},
			configurable: !0,
			enumerable: !0
		};
	}
	static getPropertyOptions(e) {
		return this.elementProperties.get(e) ?? S;
	}
	static _$Ei() {
		if (this.hasOwnProperty(y("elementProperties"))) return;
		let e = m(this);
		e.finalize(), e.l !== void 0 && (this.l = [...e.l]), this.elementProperties = new Map(e.elementProperties);
	}
	static finalize() {
		if (this.hasOwnProperty(y("finalized"))) return;
		if (this.finalized = !0, this._$Ei(), this.hasOwnProperty(y("properties"))) {
			let e = this.properties, t = [...f(e), ...p(e)];
			for (let n of t) this.createProperty(n, e[n]);
		}
		let e = this[Symbol.metadata];
		if (e !== null) {
			let t = litPropertyMetadata.get(e);
			if (t !== void 0) for (let [e, n] of t) this.elementProperties.set(e, n);
		}
		this._$Eh = /* @__PURE__ */ new Map();
		for (let [e, t] of this.elementProperties) {
			let n = this._$Eu(e, t);
			n !== void 0 && this._$Eh.set(n, e);
		}
		this.elementStyles = this.finalizeStyles(this.styles);
	}
	static finalizeStyles(e) {
		let t = [];
		if (Array.isArray(e)) {
			let n = new Set(e.flat(1 / 0).reverse());
			for (let e of n) t.unshift(c(e));
		} else e !== void 0 && t.push(c(e));
		return t;
	}
	static _$Eu(e, t) {
		let n = t.attribute;
		return !1 === n ? void 0 : typeof n == "string" ? n : typeof e == "string" ? e.toLowerCase() : void 0;
	}
	constructor() {
		super(), this._$Ep = void 0, this.isUpdatePending = !1, this.hasUpdated = !1, this._$Em = null, this._$Ev();
	}
	_$Ev() {
		this._$ES = new Promise((e) => this.enableUpdating = e), this._$AL = /* @__PURE__ */ new Map(), this._$E_(), this.requestUpdate(), this.constructor.l?.forEach((e) => e(this));
	}
	addController(e) {
		(this._$EO ??= /* @__PURE__ */ new Set()).add(e), this.renderRoot !== void 0 && this.isConnected && e.hostConnected?.();
	}
	removeController(e) {
		this._$EO?.delete(e);
	}
	_$E_() {
		let e = /* @__PURE__ */ new Map(), t = this.constructor.elementProperties;
		for (let n of t.keys()) this.hasOwnProperty(n) && (e.set(n, this[n]), delete this[n]);
		e.size > 0 && (this._$Ep = e);
	}
	createRenderRoot() {
		let e = this.shadowRoot ?? this.attachShadow(this.constructor.shadowRootOptions);
		return s(e, this.constructor.elementStyles), e;
	}
	connectedCallback() {
		this.renderRoot ??= this.createRenderRoot(), this.enableUpdating(!0), this._$EO?.forEach((e) => e.hostConnected?.());
	}
	enableUpdating(e) {}
	disconnectedCallback() {
		this._$EO?.forEach((e) => e.hostDisconnected?.());
	}
	attributeChangedCallback(e, t, n) {
		this._$AK(e, n);
	}
	_$ET(e, t) {
		let n = this.constructor.elementProperties.get(e), r = this.constructor._$Eu(e, n);
		if (r !== void 0 && !0 === n.reflect) {
			let i = (n.converter?.toAttribute === void 0 ? b : n.converter).toAttribute(t, n.type);
			this._$Em = e, i == null ? this.removeAttribute(r) : this.setAttribute(r, i), this._$Em = null;
		}
	}
	_$AK(e, t) {
		let n = this.constructor, r = n._$Eh.get(e);
		if (r !== void 0 && this._$Em !== r) {
			let e = n.getPropertyOptions(r), i = typeof e.converter == "function" ? { fromAttribute: e.converter } : e.converter?.fromAttribute === void 0 ? b : e.converter;
			this._$Em = r;
			let a = i.fromAttribute(t, e.type);
			this[r] = a ?? this._$Ej?.get(r) ?? a, this._$Em = null;
		}
	}
	requestUpdate(e, t, n, r = !1, i) {
		if (e !== void 0) {
			let a = this.constructor;
			if (!1 === r && (i = this[e]), n ??= a.getPropertyOptions(e), !((n.hasChanged ?? x)(i, t) || n.useDefault && n.reflect && i === this._$Ej?.get(e) && !this.hasAttribute(a._$Eu(e, n)))) return;
			this.C(e, t, n);
		}
		!1 === this.isUpdatePending && (this._$ES = this._$EP());
	}
	C(e, t, { useDefault: n, reflect: r, wrapped: i }, a) {
		n && !(this._$Ej ??= /* @__PURE__ */ new Map()).has(e) && (this._$Ej.set(e, a ?? t ?? this[e]), !0 !== i || a !== void 0) || (this._$AL.has(e) || (this.hasUpdated || n || (t = void 0), this._$AL.set(e, t)), !0 === r && this._$Em !== e && (this._$Eq ??= /* @__PURE__ */ new Set()).add(e));
	}
	async _$EP() {
		this.isUpdatePending = !0;
		try {
			await this._$ES;
		} catch (e) {
			Promise.reject(e);
		}
		let e = this.scheduleUpdate();
		return e != null && await e, !this.isUpdatePending;
	}
	scheduleUpdate() {
		return this.performUpdate();
	}
	performUpdate() {
		if (!this.isUpdatePending) return;
		if (!this.hasUpdated) {
			if (this.renderRoot ??= this.createRenderRoot(), this._$Ep) {
				for (let [e, t] of this._$Ep) this[e] = t;
				this._$Ep = void 0;
			}
			let e = this.constructor.elementProperties;
			if (e.size > 0) for (let [t, n] of e) {
				let { wrapped: e } = n, r = this[t];
				!0 !== e || this._$AL.has(t) || r === void 0 || this.C(t, void 0, n, r);
			}
		}
		let e = !1, t = this._$AL;
		try {
			e = this.shouldUpdate(t), e ? (this.willUpdate(t), this._$EO?.forEach((e) => e.hostUpdate?.()), this.update(t)) : this._$EM();
		} catch (t) {
			throw e = !1, this._$EM(), t;
		}
		e && this._$AE(t);
	}
	willUpdate(e) {}
	_$AE(e) {
		this._$EO?.forEach((e) => e.hostUpdated?.()), this.hasUpdated || (this.hasUpdated = !0, this.firstUpdated(e)), this.updated(e);
	}
	_$EM() {
		this._$AL = /* @__PURE__ */ new Map(), this.isUpdatePending = !1;
	}
	get updateComplete() {
		return this.getUpdateComplete();
	}
	getUpdateComplete() {
		return this._$ES;
	}
	shouldUpdate(e) {
		return !0;
	}
	update(e) {
		this._$Eq &&= this._$Eq.forEach((e) => this._$ET(e, this[e])), this._$EM();
	}
	updated(e) {}
	firstUpdated(e) {}
};
C.elementStyles = [], C.shadowRootOptions = { mode: "open" }, C[y("elementProperties")] = /* @__PURE__ */ new Map(), C[y("finalized")] = /* @__PURE__ */ new Map(), v?.({ ReactiveElement: C }), (h.reactiveElementVersions ??= []).push("2.1.2");
// node_modules/lit-html/lit-html.js
var w = globalThis, T = (e) => e, E = w.trustedTypes, ee = E ? E.createPolicy("lit-html", { createHTML: (e) => e }) : void 0, te = "$lit$", D = `lit$${Math.random().toFixed(9).slice(2)}$`, ne = "?" + D, re = `<${ne}>`, O = document, ie = () => O.createComment(""), ae = (e) => e === null || typeof e != "object" && typeof e != "function", oe = Array.isArray, se = (e) => oe(e) || typeof e?.[Symbol.iterator] == "function", ce = "[ 	\n\f\r]", le = /<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g, ue = /-->/g, de = />/g, k = RegExp(`>|${ce}(?:([^\\s"'>=/]+)(${ce}*=${ce}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`, "g"), fe = /'/g, pe = /"/g, me = /^(?:script|style|textarea|title)$/i, A = ((e) => (t, ...n) => ({
	_$litType$: e,
	strings: t,
	values: n
}))(1), he = Symbol.for("lit-noChange"), j = Symbol.for("lit-nothing"), ge = /* @__PURE__ */ new WeakMap(), _e = O.createTreeWalker(O, 129);
function ve(e, t) {
	if (!oe(e) || !e.hasOwnProperty("raw")) throw Error("invalid template strings array");
	return ee === void 0 ? t : ee.createHTML(t);
}
var ye = (e, t) => {
	let n = e.length - 1, r = [], i, a = t === 2 ? "<svg>" : t === 3 ? "<math>" : "", o = le;
	for (let t = 0; t < n; t++) {
		let n = e[t], s, c, l = -1, u = 0;
		for (; u < n.length && (o.lastIndex = u, c = o.exec(n), c !== null);) u = o.lastIndex, o === le ? c[1] === "!--" ? o = ue : c[1] === void 0 ? c[2] === void 0 ? c[3] !== void 0 && (o = k) : (me.test(c[2]) && (i = RegExp("</" + c[2], "g")), o = k) : o = de : o === k ? c[0] === ">" ? (o = i ?? le, l = -1) : c[1] === void 0 ? l = -2 : (l = o.lastIndex - c[2].length, s = c[1], o = c[3] === void 0 ? k : c[3] === "\"" ? pe : fe) : o === pe || o === fe ? o = k : o === ue || o === de ? o = le : (o = k, i = void 0);
		let d = o === k && e[t + 1].startsWith("/>") ? " " : "";
		a += o === le ? n + re : l >= 0 ? (r.push(s), n.slice(0, l) + te + n.slice(l) + D + d) : n + D + (l === -2 ? t : d);
	}
	return [ve(e, a + (e[n] || "<?>") + (t === 2 ? "</svg>" : t === 3 ? "</math>" : "")), r];
}, be = class e {
	constructor({ strings: t, _$litType$: n }, r) {
		let i;
		this.parts = [];
		let a = 0, o = 0, s = t.length - 1, c = this.parts, [l, u] = ye(t, n);
		if (this.el = e.createElement(l, r), _e.currentNode = this.el.content, n === 2 || n === 3) {
			let e = this.el.content.firstChild;
			e.replaceWith(...e.childNodes);
		}
		for (; (i = _e.nextNode()) !== null && c.length < s;) {
			if (i.nodeType === 1) {
				if (i.hasAttributes()) for (let e of i.getAttributeNames()) if (e.endsWith(te)) {
					let t = u[o++], n = i.getAttribute(e).split(D), r = /([.?@])?(.*)/.exec(t);
					c.push({
						type: 1,
						index: a,
						name: r[2],
						strings: n,
						ctor: r[1] === "." ? we : r[1] === "?" ? Te : r[1] === "@" ? Ee : Ce
					}), i.removeAttribute(e);
				} else e.startsWith(D) && (c.push({
					type: 6,
					index: a
				}), i.removeAttribute(e));
				if (me.test(i.tagName)) {
					let e = i.textContent.split(D), t = e.length - 1;
					if (t > 0) {
						i.textContent = E ? E.emptyScript : "";
						for (let n = 0; n < t; n++) i.append(e[n], ie()), _e.nextNode(), c.push({
							type: 2,
							index: ++a
						});
						i.append(e[t], ie());
					}
				}
			} else if (i.nodeType === 8) {
				if (i.data === ne) c.push({
					type: 2,
					index: a
				});
				else {
					let e = -1;
					for (; (e = i.data.indexOf(D, e + 1)) !== -1;) c.push({
						type: 7,
						index: a
					}), e += D.length - 1;
				}
			}
			a++;
		}
	}
	static createElement(e, t) {
		let n = O.createElement("template");
		return n.innerHTML = e, n;
	}
};
function M(e, t, n = e, r) {
	if (t === he) return t;
	let i = r === void 0 ? n._$Cl : n._$Co?.[r], a = ae(t) ? void 0 : t._$litDirective$;
	return i?.constructor !== a && (i?._$AO?.(!1), a === void 0 ? i = void 0 : (i = new a(e), i._$AT(e, n, r)), r === void 0 ? n._$Cl = i : (n._$Co ??= [])[r] = i), i !== void 0 && (t = M(e, i._$AS(e, t.values), i, r)), t;
}
var xe = class {
	constructor(e, t) {
		this._$AV = [], this._$AN = void 0, this._$AD = e, this._$AM = t;
	}
	get parentNode() {
		return this._$AM.parentNode;
	}
	get _$AU() {
		return this._$AM._$AU;
	}
	u(e) {
		let { el: { content: t }, parts: n } = this._$AD, r = (e?.creationScope ?? O).importNode(t, !0);
		_e.currentNode = r;
		let i = _e.nextNode(), a = 0, o = 0, s = n[0];
		for (; s !== void 0;) {
			if (a === s.index) {
				let t;
				s.type === 2 ? t = new Se(i, i.nextSibling, this, e) : s.type === 1 ? t = new s.ctor(i, s.name, s.strings, this, e) : s.type === 6 && (t = new De(i, this, e)), this._$AV.push(t), s = n[++o];
			}
			a !== s?.index && (i = _e.nextNode(), a++);
		}
		return _e.currentNode = O, r;
	}
	p(e) {
		let t = 0;
		for (let n of this._$AV) n !== void 0 && (n.strings === void 0 ? n._$AI(e[t]) : (n._$AI(e, n, t), t += n.strings.length - 2)), t++;
	}
}, Se = class e {
	get _$AU() {
		return this._$AM?._$AU ?? this._$Cv;
	}
	constructor(e, t, n, r) {
		this.type = 2, this._$AH = j, this._$AN = void 0, this._$AA = e, this._$AB = t, this._$AM = n, this.options = r, this._$Cv = r?.isConnected ?? !0;
	}
	get parentNode() {
		let e = this._$AA.parentNode, t = this._$AM;
		return t !== void 0 && e?.nodeType === 11 && (e = t.parentNode), e;
	}
	get startNode() {
		return this._$AA;
	}
	get endNode() {
		return this._$AB;
	}
	_$AI(e, t = this) {
		e = M(this, e, t), ae(e) ? e === j || e == null || e === "" ? (this._$AH !== j && this._$AR(), this._$AH = j) : e !== this._$AH && e !== he && this._(e) : e._$litType$ === void 0 ? e.nodeType === void 0 ? se(e) ? this.k(e) : this._(e) : this.T(e) : this.$(e);
	}
	O(e) {
		return this._$AA.parentNode.insertBefore(e, this._$AB);
	}
	T(e) {
		this._$AH !== e && (this._$AR(), this._$AH = this.O(e));
	}
	_(e) {
		this._$AH !== j && ae(this._$AH) ? this._$AA.nextSibling.data = e : this.T(O.createTextNode(e)), this._$AH = e;
	}
	$(e) {
		let { values: t, _$litType$: n } = e, r = typeof n == "number" ? this._$AC(e) : (n.el === void 0 && (n.el = be.createElement(ve(n.h, n.h[0]), this.options)), n);
		if (this._$AH?._$AD === r) this._$AH.p(t);
		else {
			let e = new xe(r, this), n = e.u(this.options);
			e.p(t), this.T(n), this._$AH = e;
		}
	}
	_$AC(e) {
		let t = ge.get(e.strings);
		return t === void 0 && ge.set(e.strings, t = new be(e)), t;
	}
	k(t) {
		oe(this._$AH) || (this._$AH = [], this._$AR());
		let n = this._$AH, r, i = 0;
		for (let a of t) i === n.length ? n.push(r = new e(this.O(ie()), this.O(ie()), this, this.options)) : r = n[i], r._$AI(a), i++;
		i < n.length && (this._$AR(r && r._$AB.nextSibling, i), n.length = i);
	}
	_$AR(e = this._$AA.nextSibling, t) {
		for (this._$AP?.(!1, !0, t); e !== this._$AB;) {
			let t = T(e).nextSibling;
			T(e).remove(), e = t;
		}
	}
	setConnected(e) {
		this._$AM === void 0 && (this._$Cv = e, this._$AP?.(e));
	}
}, Ce = class {
	get tagName() {
		return this.element.tagName;
	}
	get _$AU() {
		return this._$AM._$AU;
	}
	constructor(e, t, n, r, i) {
		this.type = 1, this._$AH = j, this._$AN = void 0, this.element = e, this.name = t, this._$AM = r, this.options = i, n.length > 2 || n[0] !== "" || n[1] !== "" ? (this._$AH = Array(n.length - 1).fill(/* @__PURE__ */ new String()), this.strings = n) : this._$AH = j;
	}
	_$AI(e, t = this, n, r) {
		let i = this.strings, a = !1;
		if (i === void 0) e = M(this, e, t, 0), a = !ae(e) || e !== this._$AH && e !== he, a && (this._$AH = e);
		else {
			let r = e, o, s;
			for (e = i[0], o = 0; o < i.length - 1; o++) s = M(this, r[n + o], t, o), s === he && (s = this._$AH[o]), a ||= !ae(s) || s !== this._$AH[o], s === j ? e = j : e !== j && (e += (s ?? "") + i[o + 1]), this._$AH[o] = s;
		}
		a && !r && this.j(e);
	}
	j(e) {
		e === j ? this.element.removeAttribute(this.name) : this.element.setAttribute(this.name, e ?? "");
	}
}, we = class extends Ce {
	constructor() {
		super(...arguments), this.type = 3;
	}
	j(e) {
		this.element[this.name] = e === j ? void 0 : e;
	}
}, Te = class extends Ce {
	constructor() {
		super(...arguments), this.type = 4;
	}
	j(e) {
		this.element.toggleAttribute(this.name, !!e && e !== j);
	}
}, Ee = class extends Ce {
	constructor(e, t, n, r, i) {
		super(e, t, n, r, i), this.type = 5;
	}
	_$AI(e, t = this) {
		if ((e = M(this, e, t, 0) ?? j) === he) return;
		let n = this._$AH, r = e === j && n !== j || e.capture !== n.capture || e.once !== n.once || e.passive !== n.passive, i = e !== j && (n === j || r);
		r && this.element.removeEventListener(this.name, this, n), i && this.element.addEventListener(this.name, this, e), this._$AH = e;
	}
	handleEvent(e) {
		typeof this._$AH == "function" ? this._$AH.call(this.options?.host ?? this.element, e) : this._$AH.handleEvent(e);
	}
}, De = class {
	constructor(e, t, n) {
		this.element = e, this.type = 6, this._$AN = void 0, this._$AM = t, this.options = n;
	}
	get _$AU() {
		return this._$AM._$AU;
	}
	_$AI(e) {
		M(this, e);
	}
}, Oe = {
	M: te,
	P: D,
	A: ne,
	C: 1,
	L: ye,
	R: xe,
	D: se,
	V: M,
	I: Se,
	H: Ce,
	N: Te,
	U: Ee,
	B: we,
	F: De
}, ke = w.litHtmlPolyfillSupport;
ke?.(be, Se), (w.litHtmlVersions ??= []).push("3.3.3");
var Ae = (e, t, n) => {
	let r = n?.renderBefore ?? t, i = r._$litPart$;
	if (i === void 0) {
		let e = n?.renderBefore ?? null;
		r._$litPart$ = i = new Se(t.insertBefore(ie(), e), e, void 0, n ?? {});
	}
	return i._$AI(e), i;
}, je = globalThis, Me = class extends C {
	constructor() {
		super(...arguments), this.renderOptions = { host: this }, this._$Do = void 0;
	}
	createRenderRoot() {
		let e = super.createRenderRoot();
		return this.renderOptions.renderBefore ??= e.firstChild, e;
	}
	update(e) {
		let t = this.render();
		this.hasUpdated || (this.renderOptions.isConnected = this.isConnected), super.update(e), this._$Do = Ae(t, this.renderRoot, this.renderOptions);
	}
	connectedCallback() {
		super.connectedCallback(), this._$Do?.setConnected(!0);
	}
	disconnectedCallback() {
		super.disconnectedCallback(), this._$Do?.setConnected(!1);
	}
	render() {
		return he;
	}
};
Me._$litElement$ = !0, Me.finalized = !0, je.litElementHydrateSupport?.({ LitElement: Me });
var Ne = je.litElementPolyfillSupport;
Ne?.({ LitElement: Me }), (je.litElementVersions ??= []).push("4.2.2");
// node_modules/d3-color/dist/d3-color.mjs
function Pe(e, t, n) {
	e.prototype = t.prototype = n, n.constructor = e;
}
function Fe(e, t) {
	var n = Object.create(e.prototype);
	for (var r in t) n[r] = t[r];
	return n;
}
function N() {}
var P = .7, Ie = 1 / P, Le = "\\s*([+-]?\\d+)\\s*", Re = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*", F = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*", ze = /^#([0-9a-f]{3,8})$/, Be = RegExp(`^rgb\\(${Le},${Le},${Le}\\)$`), Ve = RegExp(`^rgb\\(${F},${F},${F}\\)$`), He = RegExp(`^rgba\\(${Le},${Le},${Le},${Re}\\)$`), Ue = RegExp(`^rgba\\(${F},${F},${F},${Re}\\)$`), We = RegExp(`^hsl\\(${Re},${F},${F}\\)$`), Ge = RegExp(`^hsla\\(${Re},${F},${F},${Re}\\)$`), Ke = {
	aliceblue: 15792383,
	antiquewhite: 16444375,
	aqua: 65535,
	aquamarine: 8388564,
	azure: 15794175,
	beige: 16119260,
	bisque: 16770244,
	black: 0,
	blanchedalmond: 16772045,
	blue: 255,
	blueviolet: 9055202,
	brown: 10824234,
	burlywood: 14596231,
	cadetblue: 6266528,
	chartreuse: 8388352,
	chocolate: 13789470,
	coral: 16744272,
	cornflowerblue: 6591981,
	cornsilk: 16775388,
	crimson: 14423100,
	cyan: 65535,
	darkblue: 139,
	darkcyan: 35723,
	darkgoldenrod: 12092939,
	darkgray: 11119017,
	darkgreen: 25600,
	darkgrey: 11119017,
	darkkhaki: 12433259,
	darkmagenta: 9109643,
	darkolivegreen: 5597999,
	darkorange: 16747520,
	darkorchid: 10040012,
	darkred: 9109504,
	darksalmon: 15308410,
	darkseagreen: 9419919,
	darkslateblue: 4734347,
	darkslategray: 3100495,
	darkslategrey: 3100495,
	darkturquoise: 52945,
	darkviolet: 9699539,
	deeppink: 16716947,
	deepskyblue: 49151,
	dimgray: 6908265,
	dimgrey: 6908265,
	dodgerblue: 2003199,
	firebrick: 11674146,
	floralwhite: 16775920,
	forestgreen: 2263842,
	fuchsia: 16711935,
	gainsboro: 14474460,
	ghostwhite: 16316671,
	gold: 16766720,
	goldenrod: 14329120,
	gray: 8421504,
	green: 32768,
	greenyellow: 11403055,
	grey: 8421504,
	honeydew: 15794160,
	hotpink: 16738740,
	indianred: 13458524,
	indigo: 4915330,
	ivory: 16777200,
	khaki: 15787660,
	lavender: 15132410,
	lavenderblush: 16773365,
	lawngreen: 8190976,
	lemonchiffon: 16775885,
	lightblue: 11393254,
	lightcoral: 15761536,
	lightcyan: 14745599,
	lightgoldenrodyellow: 16448210,
	lightgray: 13882323,
	lightgreen: 9498256,
	lightgrey: 13882323,
	lightpink: 16758465,
	lightsalmon: 16752762,
	lightseagreen: 2142890,
	lightskyblue: 8900346,
	lightslategray: 7833753,
	lightslategrey: 7833753,
	lightsteelblue: 11584734,
	lightyellow: 16777184,
	lime: 65280,
	limegreen: 3329330,
	linen: 16445670,
	magenta: 16711935,
	maroon: 8388608,
	mediumaquamarine: 6737322,
	mediumblue: 205,
	mediumorchid: 12211667,
	mediumpurple: 9662683,
	mediumseagreen: 3978097,
	mediumslateblue: 8087790,
	mediumspringgreen: 64154,
	mediumturquoise: 4772300,
	mediumvioletred: 13047173,
	midnightblue: 1644912,
	mintcream: 16121850,
	mistyrose: 16770273,
	moccasin: 16770229,
	navajowhite: 16768685,
	navy: 128,
	oldlace: 16643558,
	olive: 8421376,
	olivedrab: 7048739,
	orange: 16753920,
	orangered: 16729344,
	orchid: 14315734,
	palegoldenrod: 15657130,
	palegreen: 10025880,
	paleturquoise: 11529966,
	palevioletred: 14381203,
	papayawhip: 16773077,
	peachpuff: 16767673,
	peru: 13468991,
	pink: 16761035,
	plum: 14524637,
	powderblue: 11591910,
	purple: 8388736,
	rebeccapurple: 6697881,
	red: 16711680,
	rosybrown: 12357519,
	royalblue: 4286945,
	saddlebrown: 9127187,
	salmon: 16416882,
	sandybrown: 16032864,
	seagreen: 3050327,
	seashell: 16774638,
	sienna: 10506797,
	silver: 12632256,
	skyblue: 8900331,
	slateblue: 6970061,
	slategray: 7372944,
	slategrey: 7372944,
	snow: 16775930,
	springgreen: 65407,
	steelblue: 4620980,
	tan: 13808780,
	teal: 32896,
	thistle: 14204888,
	tomato: 16737095,
	turquoise: 4251856,
	violet: 15631086,
	wheat: 16113331,
	white: 16777215,
	whitesmoke: 16119285,
	yellow: 16776960,
	yellowgreen: 10145074
};
Pe(N, Ze, {
	copy(e) {
		return Object.assign(new this.constructor(), this, e);
	},
	displayable() {
		return this.rgb().displayable();
	},
	hex: qe,
	formatHex: qe,
	formatHex8: Je,
	formatHsl: Ye,
	formatRgb: Xe,
	toString: Xe
});
function qe() {
	return this.rgb().formatHex();
}
function Je() {
	return this.rgb().formatHex8();
}
function Ye() {
	return ot(this).formatHsl();
}
function Xe() {
	return this.rgb().formatRgb();
}
function Ze(e) {
	var t, n;
	return e = (e + "").trim().toLowerCase(), (t = ze.exec(e)) ? (n = t[1].length, t = parseInt(t[1], 16), n === 6 ? Qe(t) : n === 3 ? new L(t >> 8 & 15 | t >> 4 & 240, t >> 4 & 15 | t & 240, (t & 15) << 4 | t & 15, 1) : n === 8 ? $e(t >> 24 & 255, t >> 16 & 255, t >> 8 & 255, (t & 255) / 255) : n === 4 ? $e(t >> 12 & 15 | t >> 8 & 240, t >> 8 & 15 | t >> 4 & 240, t >> 4 & 15 | t & 240, ((t & 15) << 4 | t & 15) / 255) : null) : (t = Be.exec(e)) ? new L(t[1], t[2], t[3], 1) : (t = Ve.exec(e)) ? new L(t[1] * 255 / 100, t[2] * 255 / 100, t[3] * 255 / 100, 1) : (t = He.exec(e)) ? $e(t[1], t[2], t[3], t[4]) : (t = Ue.exec(e)) ? $e(t[1] * 255 / 100, t[2] * 255 / 100, t[3] * 255 / 100, t[4]) : (t = We.exec(e)) ? at(t[1], t[2] / 100, t[3] / 100, 1) : (t = Ge.exec(e)) ? at(t[1], t[2] / 100, t[3] / 100, t[4]) : Ke.hasOwnProperty(e) ? Qe(Ke[e]) : e === "transparent" ? new L(NaN, NaN, NaN, 0) : null;
}
function Qe(e) {
	return new L(e >> 16 & 255, e >> 8 & 255, e & 255, 1);
}
function $e(e, t, n, r) {
	return r <= 0 && (e = t = n = NaN), new L(e, t, n, r);
}
function et(e) {
	return e instanceof N || (e = Ze(e)), e ? (e = e.rgb(), new L(e.r, e.g, e.b, e.opacity)) : new L();
}
function I(e, t, n, r) {
	return arguments.length === 1 ? et(e) : new L(e, t, n, r ?? 1);
}
function L(e, t, n, r) {
	this.r = +e, this.g = +t, this.b = +n, this.opacity = +r;
}
Pe(L, I, Fe(N, {
	brighter(e) {
		return e = e == null ? Ie : Ie ** +e, new L(this.r * e, this.g * e, this.b * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? P : P ** +e, new L(this.r * e, this.g * e, this.b * e, this.opacity);
	},
	rgb() {
		return this;
	},
	clamp() {
		return new L(R(this.r), R(this.g), R(this.b), it(this.opacity));
	},
	displayable() {
		return -.5 <= this.r && this.r < 255.5 && -.5 <= this.g && this.g < 255.5 && -.5 <= this.b && this.b < 255.5 && 0 <= this.opacity && this.opacity <= 1;
	},
	hex: tt,
	formatHex: tt,
	formatHex8: nt,
	formatRgb: rt,
	toString: rt
}));
function tt() {
	return `#${z(this.r)}${z(this.g)}${z(this.b)}`;
}
function nt() {
	return `#${z(this.r)}${z(this.g)}${z(this.b)}${z((isNaN(this.opacity) ? 1 : this.opacity) * 255)}`;
}
function rt() {
	let e = it(this.opacity);
	return `${e === 1 ? "rgb(" : "rgba("}${R(this.r)}, ${R(this.g)}, ${R(this.b)}${e === 1 ? ")" : `, ${e})`}`;
}
function it(e) {
	return isNaN(e) ? 1 : Math.max(0, Math.min(1, e));
}
function R(e) {
	return Math.max(0, Math.min(255, Math.round(e) || 0));
}
function z(e) {
	return e = R(e), (e < 16 ? "0" : "") + e.toString(16);
}
function at(e, t, n, r) {
	return r <= 0 ? e = t = n = NaN : n <= 0 || n >= 1 ? e = t = NaN : t <= 0 && (e = NaN), new B(e, t, n, r);
}
function ot(e) {
	if (e instanceof B) return new B(e.h, e.s, e.l, e.opacity);
	if (e instanceof N || (e = Ze(e)), !e) return new B();
	if (e instanceof B) return e;
	e = e.rgb();
	var t = e.r / 255, n = e.g / 255, r = e.b / 255, i = Math.min(t, n, r), a = Math.max(t, n, r), o = NaN, s = a - i, c = (a + i) / 2;
	return s ? (o = t === a ? (n - r) / s + (n < r) * 6 : n === a ? (r - t) / s + 2 : (t - n) / s + 4, s /= c < .5 ? a + i : 2 - a - i, o *= 60) : s = c > 0 && c < 1 ? 0 : o, new B(o, s, c, e.opacity);
}
function st(e, t, n, r) {
	return arguments.length === 1 ? ot(e) : new B(e, t, n, r ?? 1);
}
function B(e, t, n, r) {
	this.h = +e, this.s = +t, this.l = +n, this.opacity = +r;
}
Pe(B, st, Fe(N, {
	brighter(e) {
		return e = e == null ? Ie : Ie ** +e, new B(this.h, this.s, this.l * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? P : P ** +e, new B(this.h, this.s, this.l * e, this.opacity);
	},
	rgb() {
		var e = this.h % 360 + (this.h < 0) * 360, t = isNaN(e) || isNaN(this.s) ? 0 : this.s, n = this.l, r = n + (n < .5 ? n : 1 - n) * t, i = 2 * n - r;
		return new L(ut(e >= 240 ? e - 240 : e + 120, i, r), ut(e, i, r), ut(e < 120 ? e + 240 : e - 120, i, r), this.opacity);
	},
	clamp() {
		return new B(ct(this.h), lt(this.s), lt(this.l), it(this.opacity));
	},
	displayable() {
		return (0 <= this.s && this.s <= 1 || isNaN(this.s)) && 0 <= this.l && this.l <= 1 && 0 <= this.opacity && this.opacity <= 1;
	},
	formatHsl() {
		let e = it(this.opacity);
		return `${e === 1 ? "hsl(" : "hsla("}${ct(this.h)}, ${lt(this.s) * 100}%, ${lt(this.l) * 100}%${e === 1 ? ")" : `, ${e})`}`;
	}
}));
function ct(e) {
	return e = (e || 0) % 360, e < 0 ? e + 360 : e;
}
function lt(e) {
	return Math.max(0, Math.min(1, e || 0));
}
function ut(e, t, n) {
	return (e < 60 ? t + (n - t) * e / 60 : e < 180 ? n : e < 240 ? t + (n - t) * (240 - e) / 60 : t) * 255;
}
var dt = Math.PI / 180, ft = 180 / Math.PI, pt = 18, mt = .96422, ht = 1, gt = .82521, _t = 4 / 29, vt = 6 / 29, yt = 3 * vt * vt, bt = vt * vt * vt;
function xt(e) {
	if (e instanceof V) return new V(e.l, e.a, e.b, e.opacity);
	if (e instanceof H) return kt(e);
	e instanceof L || (e = et(e));
	var t = Et(e.r), n = Et(e.g), r = Et(e.b), i = Ct((.2225045 * t + .7168786 * n + .0606169 * r) / ht), a, o;
	return t === n && n === r ? a = o = i : (a = Ct((.4360747 * t + .3850649 * n + .1430804 * r) / mt), o = Ct((.0139322 * t + .0971045 * n + .7141733 * r) / gt)), new V(116 * i - 16, 500 * (a - i), 200 * (i - o), e.opacity);
}
function St(e, t, n, r) {
	return arguments.length === 1 ? xt(e) : new V(e, t, n, r ?? 1);
}
function V(e, t, n, r) {
	this.l = +e, this.a = +t, this.b = +n, this.opacity = +r;
}
Pe(V, St, Fe(N, {
	brighter(e) {
		return new V(this.l + pt * (e ?? 1), this.a, this.b, this.opacity);
	},
	darker(e) {
		return new V(this.l - pt * (e ?? 1), this.a, this.b, this.opacity);
	},
	rgb() {
		var e = (this.l + 16) / 116, t = isNaN(this.a) ? e : e + this.a / 500, n = isNaN(this.b) ? e : e - this.b / 200;
		return t = mt * wt(t), e = ht * wt(e), n = gt * wt(n), new L(Tt(3.1338561 * t - 1.6168667 * e - .4906146 * n), Tt(-.9787684 * t + 1.9161415 * e + .033454 * n), Tt(.0719453 * t - .2289914 * e + 1.4052427 * n), this.opacity);
	}
}));
function Ct(e) {
	return e > bt ? e ** (1 / 3) : e / yt + _t;
}
function wt(e) {
	return e > vt ? e * e * e : yt * (e - _t);
}
function Tt(e) {
	return 255 * (e <= .0031308 ? 12.92 * e : 1.055 * e ** (1 / 2.4) - .055);
}
function Et(e) {
	return (e /= 255) <= .04045 ? e / 12.92 : ((e + .055) / 1.055) ** 2.4;
}
function Dt(e) {
	if (e instanceof H) return new H(e.h, e.c, e.l, e.opacity);
	if (e instanceof V || (e = xt(e)), e.a === 0 && e.b === 0) return new H(NaN, 0 < e.l && e.l < 100 ? 0 : NaN, e.l, e.opacity);
	var t = Math.atan2(e.b, e.a) * ft;
	return new H(t < 0 ? t + 360 : t, Math.sqrt(e.a * e.a + e.b * e.b), e.l, e.opacity);
}
function Ot(e, t, n, r) {
	return arguments.length === 1 ? Dt(e) : new H(e, t, n, r ?? 1);
}
function H(e, t, n, r) {
	this.h = +e, this.c = +t, this.l = +n, this.opacity = +r;
}
function kt(e) {
	if (isNaN(e.h)) return new V(e.l, 0, 0, e.opacity);
	var t = e.h * dt;
	return new V(e.l, Math.cos(t) * e.c, Math.sin(t) * e.c, e.opacity);
}
Pe(H, Ot, Fe(N, {
	brighter(e) {
		return new H(this.h, this.c, this.l + pt * (e ?? 1), this.opacity);
	},
	darker(e) {
		return new H(this.h, this.c, this.l - pt * (e ?? 1), this.opacity);
	},
	rgb() {
		return kt(this).rgb();
	}
}));
var At = -.14861, jt = 1.78277, Mt = -.29227, Nt = -.90649, Pt = 1.97294, Ft = Pt * Nt, It = Pt * jt, Lt = jt * Mt - Nt * At;
function Rt(e) {
	if (e instanceof W) return new W(e.h, e.s, e.l, e.opacity);
	e instanceof L || (e = et(e));
	var t = e.r / 255, n = e.g / 255, r = e.b / 255, i = (Lt * r + Ft * t - It * n) / (Lt + Ft - It), a = r - i, o = (Pt * (n - i) - Mt * a) / Nt, s = Math.sqrt(o * o + a * a) / (Pt * i * (1 - i)), c = s ? Math.atan2(o, a) * ft - 120 : NaN;
	return new W(c < 0 ? c + 360 : c, s, i, e.opacity);
}
function U(e, t, n, r) {
	return arguments.length === 1 ? Rt(e) : new W(e, t, n, r ?? 1);
}
function W(e, t, n, r) {
	this.h = +e, this.s = +t, this.l = +n, this.opacity = +r;
}
Pe(W, U, Fe(N, {
	brighter(e) {
		return e = e == null ? Ie : Ie ** +e, new W(this.h, this.s, this.l * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? P : P ** +e, new W(this.h, this.s, this.l * e, this.opacity);
	},
	rgb() {
		var e = isNaN(this.h) ? 0 : (this.h + 120) * dt, t = +this.l, n = isNaN(this.s) ? 0 : this.s * t * (1 - t), r = Math.cos(e), i = Math.sin(e);
		return new L(255 * (t + n * (At * r + jt * i)), 255 * (t + n * (Mt * r + Nt * i)), 255 * (t + Pt * r * n), this.opacity);
	}
}));
// node_modules/d3-interpolate/dist/d3-interpolate.mjs
function zt(e, t, n, r, i) {
	var a = e * e, o = a * e;
	return ((1 - 3 * e + 3 * a - o) * t + (4 - 6 * a + 3 * o) * n + (1 + 3 * e + 3 * a - 3 * o) * r + o * i) / 6;
}
function Bt(e) {
	var t = e.length - 1;
	return function(n) {
		var r = n <= 0 ? n = 0 : n >= 1 ? (n = 1, t - 1) : Math.floor(n * t), i = e[r], a = e[r + 1], o = r > 0 ? e[r - 1] : 2 * i - a, s = r < t - 1 ? e[r + 2] : 2 * a - i;
		return zt((n - r / t) * t, o, i, a, s);
	};
}
var Vt = (e) => () => e;
function Ht(e, t) {
	return function(n) {
		return e + n * t;
	};
}
function Ut(e, t, n) {
	return e **= +n, t = t ** +n - e, n = 1 / n, function(r) {
		return (e + r * t) ** +n;
	};
}
function Wt(e, t) {
	var n = t - e;
	return n ? Ht(e, n > 180 || n < -180 ? n - 360 * Math.round(n / 360) : n) : Vt(isNaN(e) ? t : e);
}
function Gt(e) {
	return (e = +e) == 1 ? G : function(t, n) {
		return n - t ? Ut(t, n, e) : Vt(isNaN(t) ? n : t);
	};
}
function G(e, t) {
	var n = t - e;
	return n ? Ht(e, n) : Vt(isNaN(e) ? t : e);
}
var Kt = (function e(t) {
	var n = Gt(t);
	function r(e, t) {
		var r = n((e = I(e)).r, (t = I(t)).r), i = n(e.g, t.g), a = n(e.b, t.b), o = G(e.opacity, t.opacity);
		return function(t) {
			return e.r = r(t), e.g = i(t), e.b = a(t), e.opacity = o(t), e + "";
		};
	}
	return r.gamma = e, r;
})(1);
function qt(e) {
	return function(t) {
		for (var n = t.length, r = Array(n), i = Array(n), a = Array(n), o = 0, s; o < n; ++o) s = I(t[o]), r[o] = s.r || 0, i[o] = s.g || 0, a[o] = s.b || 0;
		return r = e(r), i = e(i), a = e(a), s.opacity = 1, function(e) {
			return s.r = r(e), s.g = i(e), s.b = a(e), s + "";
		};
	};
}
var Jt = qt(Bt);
function Yt(e, t) {
	t ||= [];
	var n = e ? Math.min(t.length, e.length) : 0, r = t.slice(), i;
	return function(a) {
		for (i = 0; i < n; ++i) r[i] = e[i] * (1 - a) + t[i] * a;
		return r;
	};
}
function Xt(e) {
	return ArrayBuffer.isView(e) && !(e instanceof DataView);
}
function Zt(e, t) {
	for (var n = t ? t.length : 0, r = e ? Math.min(n, e.length) : 0, i = Array(r), a = Array(n), o = 0; o < r; ++o) i[o] = sn(e[o], t[o]);
	for (; o < n; ++o) a[o] = t[o];
	return function(e) {
		for (o = 0; o < r; ++o) a[o] = i[o](e);
		return a;
	};
}
function Qt(e, t) {
	var n = /* @__PURE__ */ new Date();
	return e = +e, t = +t, function(r) {
		return n.setTime(e * (1 - r) + t * r), n;
	};
}
function $t(e, t) {
	return e = +e, t = +t, function(n) {
		return e * (1 - n) + t * n;
	};
}
function en(e, t) {
	var n = {}, r = {}, i;
	for (i in typeof e == "object" && e || (e = {}), typeof t == "object" && t || (t = {}), t) i in e ? n[i] = sn(e[i], t[i]) : r[i] = t[i];
	return function(e) {
		for (i in n) r[i] = n[i](e);
		return r;
	};
}
var tn = /[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g, nn = new RegExp(tn.source, "g");
function rn(e) {
	return function() {
		return e;
	};
}
function an(e) {
	return function(t) {
		return e(t) + "";
	};
}
function on(e, t) {
	var n = tn.lastIndex = nn.lastIndex = 0, r, i, a, o = -1, s = [], c = [];
	for (e += "", t += ""; (r = tn.exec(e)) && (i = nn.exec(t));) (a = i.index) > n && (a = t.slice(n, a), s[o] ? s[o] += a : s[++o] = a), (r = r[0]) === (i = i[0]) ? s[o] ? s[o] += i : s[++o] = i : (s[++o] = null, c.push({
		i: o,
		x: $t(r, i)
	})), n = nn.lastIndex;
	return n < t.length && (a = t.slice(n), s[o] ? s[o] += a : s[++o] = a), s.length < 2 ? c[0] ? an(c[0].x) : rn(t) : (t = c.length, function(e) {
		for (var n = 0, r; n < t; ++n) s[(r = c[n]).i] = r.x(e);
		return s.join("");
	});
}
function sn(e, t) {
	var n = typeof t, r;
	return t == null || n === "boolean" ? Vt(t) : (n === "number" ? $t : n === "string" ? (r = Ze(t)) ? (t = r, Kt) : on : t instanceof Ze ? Kt : t instanceof Date ? Qt : Xt(t) ? Yt : Array.isArray(t) ? Zt : typeof t.valueOf != "function" && typeof t.toString != "function" || isNaN(t) ? en : $t)(e, t);
}
function cn(e, t) {
	return e = +e, t = +t, function(n) {
		return Math.round(e * (1 - n) + t * n);
	};
}
var ln = 1e-12;
function un(e) {
	return ((e = Math.exp(e)) + 1 / e) / 2;
}
function dn(e) {
	return ((e = Math.exp(e)) - 1 / e) / 2;
}
function fn(e) {
	return ((e = Math.exp(2 * e)) - 1) / (e + 1);
}
(function e(t, n, r) {
	function i(e, i) {
		var a = e[0], o = e[1], s = e[2], c = i[0], l = i[1], u = i[2], d = c - a, f = l - o, p = d * d + f * f, m, h;
		if (p < ln) h = Math.log(u / s) / t, m = function(e) {
			return [
				a + e * d,
				o + e * f,
				s * Math.exp(t * e * h)
			];
		};
		else {
			var g = Math.sqrt(p), _ = (u * u - s * s + r * p) / (2 * s * n * g), v = (u * u - s * s - r * p) / (2 * u * n * g), y = Math.log(Math.sqrt(_ * _ + 1) - _);
			h = (Math.log(Math.sqrt(v * v + 1) - v) - y) / t, m = function(e) {
				var r = e * h, i = un(y), c = s / (n * g) * (i * fn(t * r + y) - dn(y));
				return [
					a + c * d,
					o + c * f,
					s * i / un(t * r + y)
				];
			};
		}
		return m.duration = Math.abs(h) * 1e3 * t / Math.SQRT2, m;
	}
	return i.rho = function(t) {
		var n = Math.max(.001, +t), r = n * n;
		return e(n, r, r * r);
	}, i;
})(Math.SQRT2, 2, 4);
function pn(e, t) {
	var n = G((e = St(e)).l, (t = St(t)).l), r = G(e.a, t.a), i = G(e.b, t.b), a = G(e.opacity, t.opacity);
	return function(t) {
		return e.l = n(t), e.a = r(t), e.b = i(t), e.opacity = a(t), e + "";
	};
}
function mn(e) {
	return (function t(n) {
		n = +n;
		function r(t, r) {
			var i = e((t = U(t)).h, (r = U(r)).h), a = G(t.s, r.s), o = G(t.l, r.l), s = G(t.opacity, r.opacity);
			return function(e) {
				return t.h = i(e), t.s = a(e), t.l = o(e ** +n), t.opacity = s(e), t + "";
			};
		}
		return r.gamma = t, r;
	})(1);
}
mn(Wt);
var hn = mn(G);
function gn(e, t) {
	t === void 0 && (t = e, e = sn);
	for (var n = 0, r = t.length - 1, i = t[0], a = Array(r < 0 ? 0 : r); n < r;) a[n] = e(i, i = t[++n]);
	return function(e) {
		var t = Math.max(0, Math.min(r - 1, Math.floor(e *= r)));
		return a[t](e - t);
	};
}
// node_modules/d3-scale-chromatic/dist/d3-scale-chromatic.mjs
function K(e) {
	for (var t = e.length / 6 | 0, n = Array(t), r = 0; r < t;) n[r] = "#" + e.slice(r * 6, ++r * 6);
	return n;
}
K("1f77b4ff7f0e2ca02cd627289467bd8c564be377c27f7f7fbcbd2217becf"), K("7fc97fbeaed4fdc086ffff99386cb0f0027fbf5b17666666"), K("1b9e77d95f027570b3e7298a66a61ee6ab02a6761d666666"), K("4269d0efb118ff725c6cc5b03ca951ff8ab7a463f297bbf59c6b4e9498a0"), K("a6cee31f78b4b2df8a33a02cfb9a99e31a1cfdbf6fff7f00cab2d66a3d9affff99b15928"), K("fbb4aeb3cde3ccebc5decbe4fed9a6ffffcce5d8bdfddaecf2f2f2"), K("b3e2cdfdcdaccbd5e8f4cae4e6f5c9fff2aef1e2cccccccc"), K("e41a1c377eb84daf4a984ea3ff7f00ffff33a65628f781bf999999"), K("66c2a5fc8d628da0cbe78ac3a6d854ffd92fe5c494b3b3b3"), K("8dd3c7ffffb3bebadafb807280b1d3fdb462b3de69fccde5d9d9d9bc80bdccebc5ffed6f"), K("4e79a7f28e2ce1575976b7b259a14fedc949af7aa1ff9da79c755fbab0ab");
var q = (e) => Jt(e[e.length - 1]);
q([
	,
	,
	,
	"d8b365f5f5f55ab4ac",
	"a6611adfc27d80cdc1018571",
	"a6611adfc27df5f5f580cdc1018571",
	"8c510ad8b365f6e8c3c7eae55ab4ac01665e",
	"8c510ad8b365f6e8c3f5f5f5c7eae55ab4ac01665e",
	"8c510abf812ddfc27df6e8c3c7eae580cdc135978f01665e",
	"8c510abf812ddfc27df6e8c3f5f5f5c7eae580cdc135978f01665e",
	"5430058c510abf812ddfc27df6e8c3c7eae580cdc135978f01665e003c30",
	"5430058c510abf812ddfc27df6e8c3f5f5f5c7eae580cdc135978f01665e003c30"
].map(K)), q([
	,
	,
	,
	"af8dc3f7f7f77fbf7b",
	"7b3294c2a5cfa6dba0008837",
	"7b3294c2a5cff7f7f7a6dba0008837",
	"762a83af8dc3e7d4e8d9f0d37fbf7b1b7837",
	"762a83af8dc3e7d4e8f7f7f7d9f0d37fbf7b1b7837",
	"762a839970abc2a5cfe7d4e8d9f0d3a6dba05aae611b7837",
	"762a839970abc2a5cfe7d4e8f7f7f7d9f0d3a6dba05aae611b7837",
	"40004b762a839970abc2a5cfe7d4e8d9f0d3a6dba05aae611b783700441b",
	"40004b762a839970abc2a5cfe7d4e8f7f7f7d9f0d3a6dba05aae611b783700441b"
].map(K)), q([
	,
	,
	,
	"e9a3c9f7f7f7a1d76a",
	"d01c8bf1b6dab8e1864dac26",
	"d01c8bf1b6daf7f7f7b8e1864dac26",
	"c51b7de9a3c9fde0efe6f5d0a1d76a4d9221",
	"c51b7de9a3c9fde0eff7f7f7e6f5d0a1d76a4d9221",
	"c51b7dde77aef1b6dafde0efe6f5d0b8e1867fbc414d9221",
	"c51b7dde77aef1b6dafde0eff7f7f7e6f5d0b8e1867fbc414d9221",
	"8e0152c51b7dde77aef1b6dafde0efe6f5d0b8e1867fbc414d9221276419",
	"8e0152c51b7dde77aef1b6dafde0eff7f7f7e6f5d0b8e1867fbc414d9221276419"
].map(K));
var _n = q([
	,
	,
	,
	"998ec3f7f7f7f1a340",
	"5e3c99b2abd2fdb863e66101",
	"5e3c99b2abd2f7f7f7fdb863e66101",
	"542788998ec3d8daebfee0b6f1a340b35806",
	"542788998ec3d8daebf7f7f7fee0b6f1a340b35806",
	"5427888073acb2abd2d8daebfee0b6fdb863e08214b35806",
	"5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b35806",
	"2d004b5427888073acb2abd2d8daebfee0b6fdb863e08214b358067f3b08",
	"2d004b5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b358067f3b08"
].map(K));
q([
	,
	,
	,
	"ef8a62f7f7f767a9cf",
	"ca0020f4a58292c5de0571b0",
	"ca0020f4a582f7f7f792c5de0571b0",
	"b2182bef8a62fddbc7d1e5f067a9cf2166ac",
	"b2182bef8a62fddbc7f7f7f7d1e5f067a9cf2166ac",
	"b2182bd6604df4a582fddbc7d1e5f092c5de4393c32166ac",
	"b2182bd6604df4a582fddbc7f7f7f7d1e5f092c5de4393c32166ac",
	"67001fb2182bd6604df4a582fddbc7d1e5f092c5de4393c32166ac053061",
	"67001fb2182bd6604df4a582fddbc7f7f7f7d1e5f092c5de4393c32166ac053061"
].map(K)), q([
	,
	,
	,
	"ef8a62ffffff999999",
	"ca0020f4a582bababa404040",
	"ca0020f4a582ffffffbababa404040",
	"b2182bef8a62fddbc7e0e0e09999994d4d4d",
	"b2182bef8a62fddbc7ffffffe0e0e09999994d4d4d",
	"b2182bd6604df4a582fddbc7e0e0e0bababa8787874d4d4d",
	"b2182bd6604df4a582fddbc7ffffffe0e0e0bababa8787874d4d4d",
	"67001fb2182bd6604df4a582fddbc7e0e0e0bababa8787874d4d4d1a1a1a",
	"67001fb2182bd6604df4a582fddbc7ffffffe0e0e0bababa8787874d4d4d1a1a1a"
].map(K)), q([
	,
	,
	,
	"fc8d59ffffbf91bfdb",
	"d7191cfdae61abd9e92c7bb6",
	"d7191cfdae61ffffbfabd9e92c7bb6",
	"d73027fc8d59fee090e0f3f891bfdb4575b4",
	"d73027fc8d59fee090ffffbfe0f3f891bfdb4575b4",
	"d73027f46d43fdae61fee090e0f3f8abd9e974add14575b4",
	"d73027f46d43fdae61fee090ffffbfe0f3f8abd9e974add14575b4",
	"a50026d73027f46d43fdae61fee090e0f3f8abd9e974add14575b4313695",
	"a50026d73027f46d43fdae61fee090ffffbfe0f3f8abd9e974add14575b4313695"
].map(K)), q([
	,
	,
	,
	"fc8d59ffffbf91cf60",
	"d7191cfdae61a6d96a1a9641",
	"d7191cfdae61ffffbfa6d96a1a9641",
	"d73027fc8d59fee08bd9ef8b91cf601a9850",
	"d73027fc8d59fee08bffffbfd9ef8b91cf601a9850",
	"d73027f46d43fdae61fee08bd9ef8ba6d96a66bd631a9850",
	"d73027f46d43fdae61fee08bffffbfd9ef8ba6d96a66bd631a9850",
	"a50026d73027f46d43fdae61fee08bd9ef8ba6d96a66bd631a9850006837",
	"a50026d73027f46d43fdae61fee08bffffbfd9ef8ba6d96a66bd631a9850006837"
].map(K)), q([
	,
	,
	,
	"fc8d59ffffbf99d594",
	"d7191cfdae61abdda42b83ba",
	"d7191cfdae61ffffbfabdda42b83ba",
	"d53e4ffc8d59fee08be6f59899d5943288bd",
	"d53e4ffc8d59fee08bffffbfe6f59899d5943288bd",
	"d53e4ff46d43fdae61fee08be6f598abdda466c2a53288bd",
	"d53e4ff46d43fdae61fee08bffffbfe6f598abdda466c2a53288bd",
	"9e0142d53e4ff46d43fdae61fee08be6f598abdda466c2a53288bd5e4fa2",
	"9e0142d53e4ff46d43fdae61fee08bffffbfe6f598abdda466c2a53288bd5e4fa2"
].map(K)), q([
	,
	,
	,
	"e5f5f999d8c92ca25f",
	"edf8fbb2e2e266c2a4238b45",
	"edf8fbb2e2e266c2a42ca25f006d2c",
	"edf8fbccece699d8c966c2a42ca25f006d2c",
	"edf8fbccece699d8c966c2a441ae76238b45005824",
	"f7fcfde5f5f9ccece699d8c966c2a441ae76238b45005824",
	"f7fcfde5f5f9ccece699d8c966c2a441ae76238b45006d2c00441b"
].map(K)), q([
	,
	,
	,
	"e0ecf49ebcda8856a7",
	"edf8fbb3cde38c96c688419d",
	"edf8fbb3cde38c96c68856a7810f7c",
	"edf8fbbfd3e69ebcda8c96c68856a7810f7c",
	"edf8fbbfd3e69ebcda8c96c68c6bb188419d6e016b",
	"f7fcfde0ecf4bfd3e69ebcda8c96c68c6bb188419d6e016b",
	"f7fcfde0ecf4bfd3e69ebcda8c96c68c6bb188419d810f7c4d004b"
].map(K));
var vn = q([
	,
	,
	,
	"e0f3dba8ddb543a2ca",
	"f0f9e8bae4bc7bccc42b8cbe",
	"f0f9e8bae4bc7bccc443a2ca0868ac",
	"f0f9e8ccebc5a8ddb57bccc443a2ca0868ac",
	"f0f9e8ccebc5a8ddb57bccc44eb3d32b8cbe08589e",
	"f7fcf0e0f3dbccebc5a8ddb57bccc44eb3d32b8cbe08589e",
	"f7fcf0e0f3dbccebc5a8ddb57bccc44eb3d32b8cbe0868ac084081"
].map(K));
q([
	,
	,
	,
	"fee8c8fdbb84e34a33",
	"fef0d9fdcc8afc8d59d7301f",
	"fef0d9fdcc8afc8d59e34a33b30000",
	"fef0d9fdd49efdbb84fc8d59e34a33b30000",
	"fef0d9fdd49efdbb84fc8d59ef6548d7301f990000",
	"fff7ecfee8c8fdd49efdbb84fc8d59ef6548d7301f990000",
	"fff7ecfee8c8fdd49efdbb84fc8d59ef6548d7301fb300007f0000"
].map(K)), q([
	,
	,
	,
	"ece2f0a6bddb1c9099",
	"f6eff7bdc9e167a9cf02818a",
	"f6eff7bdc9e167a9cf1c9099016c59",
	"f6eff7d0d1e6a6bddb67a9cf1c9099016c59",
	"f6eff7d0d1e6a6bddb67a9cf3690c002818a016450",
	"fff7fbece2f0d0d1e6a6bddb67a9cf3690c002818a016450",
	"fff7fbece2f0d0d1e6a6bddb67a9cf3690c002818a016c59014636"
].map(K)), q([
	,
	,
	,
	"ece7f2a6bddb2b8cbe",
	"f1eef6bdc9e174a9cf0570b0",
	"f1eef6bdc9e174a9cf2b8cbe045a8d",
	"f1eef6d0d1e6a6bddb74a9cf2b8cbe045a8d",
	"f1eef6d0d1e6a6bddb74a9cf3690c00570b0034e7b",
	"fff7fbece7f2d0d1e6a6bddb74a9cf3690c00570b0034e7b",
	"fff7fbece7f2d0d1e6a6bddb74a9cf3690c00570b0045a8d023858"
].map(K)), q([
	,
	,
	,
	"e7e1efc994c7dd1c77",
	"f1eef6d7b5d8df65b0ce1256",
	"f1eef6d7b5d8df65b0dd1c77980043",
	"f1eef6d4b9dac994c7df65b0dd1c77980043",
	"f1eef6d4b9dac994c7df65b0e7298ace125691003f",
	"f7f4f9e7e1efd4b9dac994c7df65b0e7298ace125691003f",
	"f7f4f9e7e1efd4b9dac994c7df65b0e7298ace125698004367001f"
].map(K)), q([
	,
	,
	,
	"fde0ddfa9fb5c51b8a",
	"feebe2fbb4b9f768a1ae017e",
	"feebe2fbb4b9f768a1c51b8a7a0177",
	"feebe2fcc5c0fa9fb5f768a1c51b8a7a0177",
	"feebe2fcc5c0fa9fb5f768a1dd3497ae017e7a0177",
	"fff7f3fde0ddfcc5c0fa9fb5f768a1dd3497ae017e7a0177",
	"fff7f3fde0ddfcc5c0fa9fb5f768a1dd3497ae017e7a017749006a"
].map(K)), q([
	,
	,
	,
	"edf8b17fcdbb2c7fb8",
	"ffffcca1dab441b6c4225ea8",
	"ffffcca1dab441b6c42c7fb8253494",
	"ffffccc7e9b47fcdbb41b6c42c7fb8253494",
	"ffffccc7e9b47fcdbb41b6c41d91c0225ea80c2c84",
	"ffffd9edf8b1c7e9b47fcdbb41b6c41d91c0225ea80c2c84",
	"ffffd9edf8b1c7e9b47fcdbb41b6c41d91c0225ea8253494081d58"
].map(K)), q([
	,
	,
	,
	"f7fcb9addd8e31a354",
	"ffffccc2e69978c679238443",
	"ffffccc2e69978c67931a354006837",
	"ffffccd9f0a3addd8e78c67931a354006837",
	"ffffccd9f0a3addd8e78c67941ab5d238443005a32",
	"ffffe5f7fcb9d9f0a3addd8e78c67941ab5d238443005a32",
	"ffffe5f7fcb9d9f0a3addd8e78c67941ab5d238443006837004529"
].map(K)), q([
	,
	,
	,
	"fff7bcfec44fd95f0e",
	"ffffd4fed98efe9929cc4c02",
	"ffffd4fed98efe9929d95f0e993404",
	"ffffd4fee391fec44ffe9929d95f0e993404",
	"ffffd4fee391fec44ffe9929ec7014cc4c028c2d04",
	"ffffe5fff7bcfee391fec44ffe9929ec7014cc4c028c2d04",
	"ffffe5fff7bcfee391fec44ffe9929ec7014cc4c02993404662506"
].map(K)), q([
	,
	,
	,
	"ffeda0feb24cf03b20",
	"ffffb2fecc5cfd8d3ce31a1c",
	"ffffb2fecc5cfd8d3cf03b20bd0026",
	"ffffb2fed976feb24cfd8d3cf03b20bd0026",
	"ffffb2fed976feb24cfd8d3cfc4e2ae31a1cb10026",
	"ffffccffeda0fed976feb24cfd8d3cfc4e2ae31a1cb10026",
	"ffffccffeda0fed976feb24cfd8d3cfc4e2ae31a1cbd0026800026"
].map(K)), q([
	,
	,
	,
	"deebf79ecae13182bd",
	"eff3ffbdd7e76baed62171b5",
	"eff3ffbdd7e76baed63182bd08519c",
	"eff3ffc6dbef9ecae16baed63182bd08519c",
	"eff3ffc6dbef9ecae16baed64292c62171b5084594",
	"f7fbffdeebf7c6dbef9ecae16baed64292c62171b5084594",
	"f7fbffdeebf7c6dbef9ecae16baed64292c62171b508519c08306b"
].map(K)), q([
	,
	,
	,
	"e5f5e0a1d99b31a354",
	"edf8e9bae4b374c476238b45",
	"edf8e9bae4b374c47631a354006d2c",
	"edf8e9c7e9c0a1d99b74c47631a354006d2c",
	"edf8e9c7e9c0a1d99b74c47641ab5d238b45005a32",
	"f7fcf5e5f5e0c7e9c0a1d99b74c47641ab5d238b45005a32",
	"f7fcf5e5f5e0c7e9c0a1d99b74c47641ab5d238b45006d2c00441b"
].map(K)), q([
	,
	,
	,
	"f0f0f0bdbdbd636363",
	"f7f7f7cccccc969696525252",
	"f7f7f7cccccc969696636363252525",
	"f7f7f7d9d9d9bdbdbd969696636363252525",
	"f7f7f7d9d9d9bdbdbd969696737373525252252525",
	"fffffff0f0f0d9d9d9bdbdbd969696737373525252252525",
	"fffffff0f0f0d9d9d9bdbdbd969696737373525252252525000000"
].map(K)), q([
	,
	,
	,
	"efedf5bcbddc756bb1",
	"f2f0f7cbc9e29e9ac86a51a3",
	"f2f0f7cbc9e29e9ac8756bb154278f",
	"f2f0f7dadaebbcbddc9e9ac8756bb154278f",
	"f2f0f7dadaebbcbddc9e9ac8807dba6a51a34a1486",
	"fcfbfdefedf5dadaebbcbddc9e9ac8807dba6a51a34a1486",
	"fcfbfdefedf5dadaebbcbddc9e9ac8807dba6a51a354278f3f007d"
].map(K)), q([
	,
	,
	,
	"fee0d2fc9272de2d26",
	"fee5d9fcae91fb6a4acb181d",
	"fee5d9fcae91fb6a4ade2d26a50f15",
	"fee5d9fcbba1fc9272fb6a4ade2d26a50f15",
	"fee5d9fcbba1fc9272fb6a4aef3b2ccb181d99000d",
	"fff5f0fee0d2fcbba1fc9272fb6a4aef3b2ccb181d99000d",
	"fff5f0fee0d2fcbba1fc9272fb6a4aef3b2ccb181da50f1567000d"
].map(K)), q([
	,
	,
	,
	"fee6cefdae6be6550d",
	"feeddefdbe85fd8d3cd94701",
	"feeddefdbe85fd8d3ce6550da63603",
	"feeddefdd0a2fdae6bfd8d3ce6550da63603",
	"feeddefdd0a2fdae6bfd8d3cf16913d948018c2d04",
	"fff5ebfee6cefdd0a2fdae6bfd8d3cf16913d948018c2d04",
	"fff5ebfee6cefdd0a2fdae6bfd8d3cf16913d94801a636037f2704"
].map(K)), hn(U(300, .5, 0), U(-240, .5, 1)), hn(U(-100, .75, .35), U(80, 1.5, .8)), hn(U(260, .75, .35), U(80, 1.5, .8)), U(), I();
function yn(e) {
	var t = e.length;
	return function(n) {
		return e[Math.max(0, Math.min(t - 1, Math.floor(n * t)))];
	};
}
yn(K("44015444025645045745055946075a46085c460a5d460b5e470d60470e6147106347116447136548146748166848176948186a481a6c481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a472d7b472e7c472f7d46307e46327e46337f463480453581453781453882443983443a83443b84433d84433e85423f854240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e297b8e287c8e287d8e277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f881fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad8128ae8029af7f2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf7046c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f65cb5e67cc5c69cd5b6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d54989d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21ad8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723fde725")), yn(K("00000401000501010601010802010902020b02020d03030f03031204041405041606051806051a07061c08071e0907200a08220b09240c09260d0a290e0b2b100b2d110c2f120d31130d34140e36150e38160f3b180f3d19103f1a10421c10441d11471e114920114b21114e22115024125325125527125829115a2a115c2c115f2d11612f116331116533106734106936106b38106c390f6e3b0f703d0f713f0f72400f74420f75440f764510774710784910784a10794c117a4e117b4f127b51127c52137c54137d56147d57157e59157e5a167e5c167f5d177f5f187f601880621980641a80651a80671b80681c816a1c816b1d816d1d816e1e81701f81721f817320817521817621817822817922827b23827c23827e24828025828125818326818426818627818827818928818b29818c29818e2a81902a81912b81932b80942c80962c80982d80992d809b2e7f9c2e7f9e2f7fa02f7fa1307ea3307ea5317ea6317da8327daa337dab337cad347cae347bb0357bb2357bb3367ab5367ab73779b83779ba3878bc3978bd3977bf3a77c03a76c23b75c43c75c53c74c73d73c83e73ca3e72cc3f71cd4071cf4070d0416fd2426fd3436ed5446dd6456cd8456cd9466bdb476adc4869de4968df4a68e04c67e24d66e34e65e44f64e55064e75263e85362e95462ea5661eb5760ec5860ed5a5fee5b5eef5d5ef05f5ef1605df2625df2645cf3655cf4675cf4695cf56b5cf66c5cf66e5cf7705cf7725cf8745cf8765cf9785df9795df97b5dfa7d5efa7f5efa815ffb835ffb8560fb8761fc8961fc8a62fc8c63fc8e64fc9065fd9266fd9467fd9668fd9869fd9a6afd9b6bfe9d6cfe9f6dfea16efea36ffea571fea772fea973feaa74feac76feae77feb078feb27afeb47bfeb67cfeb77efeb97ffebb81febd82febf84fec185fec287fec488fec68afec88cfeca8dfecc8ffecd90fecf92fed194fed395fed597fed799fed89afdda9cfddc9efddea0fde0a1fde2a3fde3a5fde5a7fde7a9fde9aafdebacfcecaefceeb0fcf0b2fcf2b4fcf4b6fcf6b8fcf7b9fcf9bbfcfbbdfcfdbf")), yn(K("00000401000501010601010802010a02020c02020e03021004031204031405041706041907051b08051d09061f0a07220b07240c08260d08290e092b10092d110a30120a32140b34150b37160b39180c3c190c3e1b0c411c0c431e0c451f0c48210c4a230c4c240c4f260c51280b53290b552b0b572d0b592f0a5b310a5c320a5e340a5f3609613809623909633b09643d09653e0966400a67420a68440a68450a69470b6a490b6a4a0c6b4c0c6b4d0d6c4f0d6c510e6c520e6d540f6d550f6d57106e59106e5a116e5c126e5d126e5f136e61136e62146e64156e65156e67166e69166e6a176e6c186e6d186e6f196e71196e721a6e741a6e751b6e771c6d781c6d7a1d6d7c1d6d7d1e6d7f1e6c801f6c82206c84206b85216b87216b88226a8a226a8c23698d23698f24699025689225689326679526679727669827669a28659b29649d29649f2a63a02a63a22b62a32c61a52c60a62d60a82e5fa92e5eab2f5ead305dae305cb0315bb1325ab3325ab43359b63458b73557b93556ba3655bc3754bd3853bf3952c03a51c13a50c33b4fc43c4ec63d4dc73e4cc83f4bca404acb4149cc4248ce4347cf4446d04545d24644d34743d44842d54a41d74b3fd84c3ed94d3dda4e3cdb503bdd513ade5238df5337e05536e15635e25734e35933e45a31e55c30e65d2fe75e2ee8602de9612bea632aeb6429eb6628ec6726ed6925ee6a24ef6c23ef6e21f06f20f1711ff1731df2741cf3761bf37819f47918f57b17f57d15f67e14f68013f78212f78410f8850ff8870ef8890cf98b0bf98c0af98e09fa9008fa9207fa9407fb9606fb9706fb9906fb9b06fb9d07fc9f07fca108fca309fca50afca60cfca80dfcaa0ffcac11fcae12fcb014fcb216fcb418fbb61afbb81dfbba1ffbbc21fbbe23fac026fac228fac42afac62df9c72ff9c932f9cb35f8cd37f8cf3af7d13df7d340f6d543f6d746f5d949f5db4cf4dd4ff4df53f4e156f3e35af3e55df2e661f2e865f2ea69f1ec6df1ed71f1ef75f1f179f2f27df2f482f3f586f3f68af4f88ef5f992f6fa96f8fb9af9fc9dfafda1fcffa4")), yn(K("0d088710078813078916078a19068c1b068d1d068e20068f2206902406912605912805922a05932c05942e05952f059631059733059735049837049938049a3a049a3c049b3e049c3f049c41049d43039e44039e46039f48039f4903a04b03a14c02a14e02a25002a25102a35302a35502a45601a45801a45901a55b01a55c01a65e01a66001a66100a76300a76400a76600a76700a86900a86a00a86c00a86e00a86f00a87100a87201a87401a87501a87701a87801a87a02a87b02a87d03a87e03a88004a88104a78305a78405a78606a68707a68808a68a09a58b0aa58d0ba58e0ca48f0da4910ea3920fa39410a29511a19613a19814a099159f9a169f9c179e9d189d9e199da01a9ca11b9ba21d9aa31e9aa51f99a62098a72197a82296aa2395ab2494ac2694ad2793ae2892b02991b12a90b22b8fb32c8eb42e8db52f8cb6308bb7318ab83289ba3388bb3488bc3587bd3786be3885bf3984c03a83c13b82c23c81c33d80c43e7fc5407ec6417dc7427cc8437bc9447aca457acb4679cc4778cc4977cd4a76ce4b75cf4c74d04d73d14e72d24f71d35171d45270d5536fd5546ed6556dd7566cd8576bd9586ada5a6ada5b69db5c68dc5d67dd5e66de5f65de6164df6263e06363e16462e26561e26660e3685fe4695ee56a5de56b5de66c5ce76e5be76f5ae87059e97158e97257ea7457eb7556eb7655ec7754ed7953ed7a52ee7b51ef7c51ef7e50f07f4ff0804ef1814df1834cf2844bf3854bf3874af48849f48948f58b47f58c46f68d45f68f44f79044f79143f79342f89441f89540f9973ff9983ef99a3efa9b3dfa9c3cfa9e3bfb9f3afba139fba238fca338fca537fca636fca835fca934fdab33fdac33fdae32fdaf31fdb130fdb22ffdb42ffdb52efeb72dfeb82cfeba2cfebb2bfebd2afebe2afec029fdc229fdc328fdc527fdc627fdc827fdca26fdcb26fccd25fcce25fcd025fcd225fbd324fbd524fbd724fad824fada24f9dc24f9dd25f8df25f8e125f7e225f7e425f6e626f6e826f5e926f5eb27f4ed27f3ee27f3f027f2f227f1f426f1f525f0f724f0f921"));
// web/elements/colour.js
var bn = 256, xn = "#16191b";
function Sn(e, t, n, r) {
	let i = n > t;
	return Array.from({ length: r }, (a, o) => {
		let s = t + (n - t) * o / (r - 1), [c, l] = [0, 1];
		for (let t = 0; t < 20; t++) {
			let t = (c + l) / 2;
			St(e(t)).l < s === i ? c = t : l = t;
		}
		return e(c);
	});
}
function Cn(e) {
	let { r: t, g: n, b: r } = I(e), [i, a, o] = [
		t,
		n,
		r
	].map((e) => e / 255 <= .04045 ? e / 255 / 12.92 : ((e / 255 + .055) / 1.055) ** 2.4);
	return .2126 * i + .7152 * a + .0722 * o;
}
function wn(e) {
	let { r: t, g: n, b: r } = I(e);
	return new Uint32Array(new Uint8ClampedArray([
		t,
		n,
		r,
		255
	]).buffer)[0];
}
var Tn = (e) => ({
	colours: e,
	inks: e.map((e) => Cn(e) > .179 ? "#000" : "#fff"),
	pixels: Uint32Array.from(e, wn)
});
function En(e, t) {
	if (e === "sequential") return t ? Sn(gn(pn, [
		xn,
		"#0d2c4d",
		...[
			.85,
			.6,
			.3,
			.05
		].map(vn)
	]), 9, 94, bn) : Sn(vn, 98, 27, bn);
	let n = (e) => {
		let n = (t) => _n(.5 + e * t / 2);
		return t ? Sn(gn(pn, [xn, ...[
			.85,
			.65,
			.4,
			.2
		].map(n)]), 9, 84, bn / 2) : Sn(n, 96.5, 34, bn / 2);
	};
	return [...n(-1).reverse(), ...n(1)];
}
var Dn = /* @__PURE__ */ new Map();
function On(e, t) {
	let n = `${e} ${t}`, r = Dn.get(n) ?? Tn(En(e, t));
	return Dn.set(n, r), r;
}
function kn(e, [t, n]) {
	let r = Math.floor((e - t) / (n - t) * bn);
	return r > 0 ? Math.min(r, 255) : 0;
}
var An = (e) => e ? {
	hidden: "#1b1d1f",
	hatch: "#565b60",
	nan: "#7a1f3d",
	nanInk: "#fff"
} : {
	hidden: "#f3f3f1",
	hatch: "#b4b4ae",
	nan: "#ffc2d1",
	nanInk: "#000"
}, jn = void 0, Mn = /* @__PURE__ */ new Map();
function J(e, t) {
	let n = `${t} ${e}`, r = Mn.get(n);
	if (r !== void 0) return r;
	if (jn ??= document.createElement("canvas").getContext("2d") ?? void 0, !jn) return e.length * 8;
	jn.font = t;
	let { width: i } = jn.measureText(e);
	return Mn.size > 2e4 && Mn.clear(), Mn.set(n, i), i;
}
var Nn = new Intl.Segmenter(void 0, { granularity: "grapheme" });
function Pn(e, t, n) {
	if (e.length <= 400 && J(e, n) <= t) return e;
	let r = Array.from(Nn.segment(e.slice(0, 400)), ({ segment: e }) => e), [i, a] = [0, r.length + 1];
	for (; a - i > 1;) {
		let e = i + a >> 1;
		J(`${r.slice(0, e).join("")}…`, n) <= t ? i = e : a = e;
	}
	return `${r.slice(0, i).join("")}…`;
}
function Fn(e) {
	let t = String(e ?? "");
	return /^\s*$/u.test(t) || t.trim() === "" ? t.replace(/\n/g, "↵").replace(/\t/g, "⇥").replace(/\s/g, "␣") || "␣" : t.replace(/\r?\n/g, "↵").replace(/\t/g, "⇥");
}
var In = class {
	constructor(e, t) {
		this.context = e, this.family = t;
	}
	fill(e, t, n, r, i) {
		this.context.fillStyle = i, this.context.fillRect(e, t, n, r);
	}
	frame(e, t, n, r, i) {
		this.#e(i), this.context.strokeRect(e, t, n, r);
	}
	line(e, t) {
		this.#e(t), this.context.beginPath();
		for (let t = 0; t < e.length; t += 2) this.context[t ? "lineTo" : "moveTo"](e[t], e[t + 1]);
		this.context.stroke(), this.context.globalAlpha = 1;
	}
	link(e, t, n, r, i) {
		this.#e(i);
		let a = (e + n) / 2;
		this.context.beginPath(), this.context.moveTo(e, t), this.context.bezierCurveTo(a, t, a, r, n, r), this.context.stroke(), this.context.globalAlpha = 1;
	}
	#e({ stroke: e, width: t = 1, opacity: n = 1, dash: r = [] }) {
		this.context.strokeStyle = e, this.context.lineWidth = t, this.context.globalAlpha = n, this.context.setLineDash(r);
	}
	text(e, t, n, { size: r = 12, fill: i = "#000", align: a = "left", upright: o = !1, weight: s = 400, most: c } = {}) {
		let { context: l } = this, u = `${s} ${r}px ${this.family}`;
		l.font = u, l.fillStyle = i, l.textAlign = a, l.textBaseline = "middle";
		let d = c === void 0 ? e : Pn(e, c, u);
		if (!o) return l.fillText(d, t, n);
		l.save(), l.translate(t, n), l.rotate(-Math.PI / 2), l.fillText(d, 0, 0), l.restore();
	}
	image(e, t, n, r, i) {
		this.context.imageSmoothingEnabled = !1, this.context.drawImage(e, t, n, r, i);
	}
	hatch(e, t, n, r, { ground: i, line: a }) {
		this.fill(e, t, n, r, i);
		let { context: o } = this;
		o.save(), o.beginPath(), o.rect(e, t, n, r), o.clip(), this.#e({ stroke: a }), o.beginPath();
		let s = Math.floor((e + t) / 5) * 5;
		for (let i = s; i < e + t + n + r; i += 5) o.moveTo(i - t, t), o.lineTo(i - t - r, t + r);
		o.stroke(), o.restore();
	}
	clip(e, t, n, r, i) {
		this.context.save(), this.context.beginPath(), this.context.rect(e, t, n, r), this.context.clip(), i(), this.context.restore();
	}
}, Ln = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	"\"": "&quot;"
}, Rn = (e) => e.replace(/\p{Surrogate}/gu, "�").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�").replace(/[&<>"]/g, (e) => Ln[e]), Y = (e) => String(Math.round(e * 100) / 100), zn = class {
	#e = [];
	#t = /* @__PURE__ */ new Map();
	constructor(e) {
		this.family = e;
	}
	fill(e, t, n, r, i) {
		this.#e.push(`<rect x="${Y(e)}" y="${Y(t)}" width="${Y(n)}" height="${Y(r)}" fill="${Rn(i)}"/>`);
	}
	frame(e, t, n, r, i) {
		this.#e.push(`<rect x="${Y(e)}" y="${Y(t)}" width="${Y(n)}" height="${Y(r)}" fill="none" ${this.#n(i)}/>`);
	}
	line(e, t) {
		this.#e.push(`<polyline points="${e.map(Y).join(" ")}" fill="none" ${this.#n(t)}/>`);
	}
	link(e, t, n, r, i) {
		let a = Y((e + n) / 2), o = `M${Y(e)} ${Y(t)}C${a} ${Y(t)} ${a} ${Y(r)} ${Y(n)} ${Y(r)}`;
		this.#e.push(`<path d="${o}" fill="none" ${this.#n(i)}/>`);
	}
	#n({ stroke: e, width: t = 1, opacity: n = 1, dash: r = [] }) {
		let i = `${n < 1 ? ` stroke-opacity="${Y(n)}"` : ""}${r.length ? ` stroke-dasharray="${r.join(" ")}"` : ""}`;
		return `stroke="${Rn(e)}" stroke-width="${Y(t)}"${i}`;
	}
	text(e, t, n, { size: r = 12, fill: i = "#000", align: a = "left", upright: o = !1, weight: s = 400, most: c } = {}) {
		let l = c === void 0 ? e : Pn(e, c, `${s} ${r}px ${this.family}`), u = {
			left: "start",
			center: "middle",
			right: "end"
		}[a], d = o ? ` transform="rotate(-90 ${Y(t)} ${Y(n)})"` : "", f = s === 400 ? "" : ` font-weight="${s}"`;
		this.#e.push(`<text x="${Y(t)}" y="${Y(n)}" dy="0.35em" font-size="${Y(r)}" fill="${Rn(i)}" text-anchor="${u}"${f}${d}>${Rn(l)}</text>`);
	}
	image(e, t, n, r, i) {
		this.#e.push(`<image x="${Y(t)}" y="${Y(n)}" width="${Y(r)}" height="${Y(i)}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${e.toDataURL()}"/>`);
	}
	hatch(e, t, n, r, { ground: i, line: a }) {
		let o = `hatch-${i.slice(1)}-${a.slice(1)}`;
		this.#t.has(o) || this.#t.set(o, `<pattern id="${o}" width="3.54" height="3.54" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="3.54" height="3.54" fill="${i}"/><rect width="1" height="3.54" fill="${a}"/></pattern>`), this.fill(e, t, n, r, `url(#${o})`);
	}
	clip(e, t, n, r, i) {
		let a = `clip-${[
			e,
			t,
			n,
			r
		].map(Y).join("-")}`;
		this.#t.set(a, `<clipPath id="${a}"><rect x="${Y(e)}" y="${Y(t)}" width="${Y(n)}" height="${Y(r)}"/></clipPath>`), this.#e.push(`<g clip-path="url(#${a})">`), i(), this.#e.push("</g>");
	}
	picture(e, t, n, r) {
		return [
			`<svg xmlns="http://www.w3.org/2000/svg" width="${Y(e)}" height="${Y(t)}" viewBox="0 0 ${Y(e)} ${Y(t)}" role="img" font-family="${Rn(this.family)}" font-variant-numeric="tabular-nums">`,
			`<title>${Rn(n)}</title>`,
			r ? `<desc>${Rn(r)}</desc>` : "",
			this.#t.size ? `<defs>${[...this.#t.values()].join("")}</defs>` : "",
			...this.#e,
			"</svg>"
		].join("\n");
	}
};
// node_modules/d3-array/dist/d3-array.mjs
function Bn(e, t) {
	return e == null || t == null ? NaN : e < t ? -1 : e > t ? 1 : e >= t ? 0 : NaN;
}
function Vn(e, t) {
	return e == null || t == null ? NaN : t < e ? -1 : t > e ? 1 : t >= e ? 0 : NaN;
}
function Hn(e) {
	let t, n, r;
	e.length === 2 ? (t = e === Bn || e === Vn ? e : Un, n = e, r = e) : (t = Bn, n = (t, n) => Bn(e(t), n), r = (t, n) => e(t) - n);
	function i(e, r, i = 0, a = e.length) {
		if (i < a) {
			if (t(r, r) !== 0) return a;
			do {
				let t = i + a >>> 1;
				n(e[t], r) < 0 ? i = t + 1 : a = t;
			} while (i < a);
		}
		return i;
	}
	function a(e, r, i = 0, a = e.length) {
		if (i < a) {
			if (t(r, r) !== 0) return a;
			do {
				let t = i + a >>> 1;
				n(e[t], r) <= 0 ? i = t + 1 : a = t;
			} while (i < a);
		}
		return i;
	}
	function o(e, t, n = 0, a = e.length) {
		let o = i(e, t, n, a - 1);
		return o > n && r(e[o - 1], t) > -r(e[o], t) ? o - 1 : o;
	}
	return {
		left: i,
		center: o,
		right: a
	};
}
function Un() {
	return 0;
}
function Wn(e) {
	return e === null ? NaN : +e;
}
var Gn = Hn(Bn), Kn = Gn.right;
Gn.left, Hn(Wn).center, Array.prototype.slice;
var qn = Math.sqrt(50), Jn = Math.sqrt(10), Yn = Math.sqrt(2);
function Xn(e, t, n) {
	let r = (t - e) / Math.max(0, n), i = Math.floor(Math.log10(r)), a = r / 10 ** i, o = a >= qn ? 10 : a >= Jn ? 5 : a >= Yn ? 2 : 1, s, c, l;
	return i < 0 ? (l = 10 ** -i / o, s = Math.round(e * l), c = Math.round(t * l), s / l < e && ++s, c / l > t && --c, l = -l) : (l = 10 ** i * o, s = Math.round(e / l), c = Math.round(t / l), s * l < e && ++s, c * l > t && --c), c < s && .5 <= n && n < 2 ? Xn(e, t, n * 2) : [
		s,
		c,
		l
	];
}
function Zn(e, t, n) {
	if (t = +t, e = +e, n = +n, !(n > 0)) return [];
	if (e === t) return [e];
	let r = t < e, [i, a, o] = r ? Xn(t, e, n) : Xn(e, t, n);
	if (!(a >= i)) return [];
	let s = a - i + 1, c = Array(s);
	if (r) {
		if (o < 0) for (let e = 0; e < s; ++e) c[e] = (a - e) / -o;
		else for (let e = 0; e < s; ++e) c[e] = (a - e) * o;
	} else if (o < 0) for (let e = 0; e < s; ++e) c[e] = (i + e) / -o;
	else for (let e = 0; e < s; ++e) c[e] = (i + e) * o;
	return c;
}
function Qn(e, t, n) {
	return t = +t, e = +e, n = +n, Xn(e, t, n)[2];
}
function $n(e, t, n) {
	t = +t, e = +e, n = +n;
	let r = t < e, i = r ? Qn(t, e, n) : Qn(e, t, n);
	return (r ? -1 : 1) * (i < 0 ? 1 / -i : i);
}
// node_modules/d3-format/dist/d3-format.mjs
function er(e) {
	return Math.abs(e = Math.round(e)) >= 1e21 ? e.toLocaleString("en").replace(/,/g, "") : e.toString(10);
}
function tr(e, t) {
	if (!isFinite(e) || e === 0) return null;
	var n = (e = t ? e.toExponential(t - 1) : e.toExponential()).indexOf("e"), r = e.slice(0, n);
	return [r.length > 1 ? r[0] + r.slice(2) : r, +e.slice(n + 1)];
}
function nr(e) {
	return e = tr(Math.abs(e)), e ? e[1] : NaN;
}
function rr(e, t) {
	return function(n, r) {
		for (var i = n.length, a = [], o = 0, s = e[0], c = 0; i > 0 && s > 0 && (c + s + 1 > r && (s = Math.max(1, r - c)), a.push(n.substring(i -= s, i + s)), !((c += s + 1) > r));) s = e[o = (o + 1) % e.length];
		return a.reverse().join(t);
	};
}
function ir(e) {
	return function(t) {
		return t.replace(/[0-9]/g, function(t) {
			return e[+t];
		});
	};
}
var ar = /^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;
function or(e) {
	if (!(t = ar.exec(e))) throw Error("invalid format: " + e);
	var t;
	return new sr({
		fill: t[1],
		align: t[2],
		sign: t[3],
		symbol: t[4],
		zero: t[5],
		width: t[6],
		comma: t[7],
		precision: t[8] && t[8].slice(1),
		trim: t[9],
		type: t[10]
	});
}
or.prototype = sr.prototype;
function sr(e) {
	this.fill = e.fill === void 0 ? " " : e.fill + "", this.align = e.align === void 0 ? ">" : e.align + "", this.sign = e.sign === void 0 ? "-" : e.sign + "", this.symbol = e.symbol === void 0 ? "" : e.symbol + "", this.zero = !!e.zero, this.width = e.width === void 0 ? void 0 : +e.width, this.comma = !!e.comma, this.precision = e.precision === void 0 ? void 0 : +e.precision, this.trim = !!e.trim, this.type = e.type === void 0 ? "" : e.type + "";
}
sr.prototype.toString = function() {
	return this.fill + this.align + this.sign + this.symbol + (this.zero ? "0" : "") + (this.width === void 0 ? "" : Math.max(1, this.width | 0)) + (this.comma ? "," : "") + (this.precision === void 0 ? "" : "." + Math.max(0, this.precision | 0)) + (this.trim ? "~" : "") + this.type;
};
function cr(e) {
	out: for (var t = e.length, n = 1, r = -1, i; n < t; ++n) switch (e[n]) {
		case ".":
			r = i = n;
			break;
		case "0":
			r === 0 && (r = n), i = n;
			break;
		default:
			if (!+e[n]) break out;
			r > 0 && (r = 0);
	}
	return r > 0 ? e.slice(0, r) + e.slice(i + 1) : e;
}
var lr;
function ur(e, t) {
	var n = tr(e, t);
	if (!n) return lr = void 0, e.toPrecision(t);
	var r = n[0], i = n[1], a = i - (lr = Math.max(-8, Math.min(8, Math.floor(i / 3))) * 3) + 1, o = r.length;
	return a === o ? r : a > o ? r + Array(a - o + 1).join("0") : a > 0 ? r.slice(0, a) + "." + r.slice(a) : "0." + Array(1 - a).join("0") + tr(e, Math.max(0, t + a - 1))[0];
}
function dr(e, t) {
	var n = tr(e, t);
	if (!n) return e + "";
	var r = n[0], i = n[1];
	return i < 0 ? "0." + Array(-i).join("0") + r : r.length > i + 1 ? r.slice(0, i + 1) + "." + r.slice(i + 1) : r + Array(i - r.length + 2).join("0");
}
var fr = {
	"%": (e, t) => (e * 100).toFixed(t),
	b: (e) => Math.round(e).toString(2),
	c: (e) => e + "",
	d: er,
	e: (e, t) => e.toExponential(t),
	f: (e, t) => e.toFixed(t),
	g: (e, t) => e.toPrecision(t),
	o: (e) => Math.round(e).toString(8),
	p: (e, t) => dr(e * 100, t),
	r: dr,
	s: ur,
	X: (e) => Math.round(e).toString(16).toUpperCase(),
	x: (e) => Math.round(e).toString(16)
};
function pr(e) {
	return e;
}
var mr = Array.prototype.map, hr = [
	"y",
	"z",
	"a",
	"f",
	"p",
	"n",
	"µ",
	"m",
	"",
	"k",
	"M",
	"G",
	"T",
	"P",
	"E",
	"Z",
	"Y"
];
function gr(e) {
	var t = e.grouping === void 0 || e.thousands === void 0 ? pr : rr(mr.call(e.grouping, Number), e.thousands + ""), n = e.currency === void 0 ? "" : e.currency[0] + "", r = e.currency === void 0 ? "" : e.currency[1] + "", i = e.decimal === void 0 ? "." : e.decimal + "", a = e.numerals === void 0 ? pr : ir(mr.call(e.numerals, String)), o = e.percent === void 0 ? "%" : e.percent + "", s = e.minus === void 0 ? "−" : e.minus + "", c = e.nan === void 0 ? "NaN" : e.nan + "";
	function l(e, l) {
		e = or(e);
		var u = e.fill, d = e.align, f = e.sign, p = e.symbol, m = e.zero, h = e.width, g = e.comma, _ = e.precision, v = e.trim, y = e.type;
		y === "n" ? (g = !0, y = "g") : fr[y] || (_ === void 0 && (_ = 12), v = !0, y = "g"), (m || u === "0" && d === "=") && (m = !0, u = "0", d = "=");
		var b = (l && l.prefix !== void 0 ? l.prefix : "") + (p === "$" ? n : p === "#" && /[boxX]/.test(y) ? "0" + y.toLowerCase() : ""), x = (p === "$" ? r : /[%p]/.test(y) ? o : "") + (l && l.suffix !== void 0 ? l.suffix : ""), S = fr[y], C = /[defgprs%]/.test(y);
		_ = _ === void 0 ? 6 : /[gprs]/.test(y) ? Math.max(1, Math.min(21, _)) : Math.max(0, Math.min(20, _));
		function w(e) {
			var n = b, r = x, o, l, p;
			if (y === "c") r = S(e) + r, e = "";
			else {
				e = +e;
				var w = e < 0 || 1 / e < 0;
				if (e = isNaN(e) ? c : S(Math.abs(e), _), v && (e = cr(e)), w && +e == 0 && f !== "+" && (w = !1), n = (w ? f === "(" ? f : s : f === "-" || f === "(" ? "" : f) + n, r = (y === "s" && !isNaN(e) && lr !== void 0 ? hr[8 + lr / 3] : "") + r + (w && f === "(" ? ")" : ""), C) {
					for (o = -1, l = e.length; ++o < l;) if (p = e.charCodeAt(o), 48 > p || p > 57) {
						r = (p === 46 ? i + e.slice(o + 1) : e.slice(o)) + r, e = e.slice(0, o);
						break;
					}
				}
			}
			g && !m && (e = t(e, Infinity));
			var T = n.length + e.length + r.length, E = T < h ? Array(h - T + 1).join(u) : "";
			switch (g && m && (e = t(E + e, E.length ? h - r.length : Infinity), E = ""), d) {
				case "<":
					e = n + e + r + E;
					break;
				case "=":
					e = n + E + e + r;
					break;
				case "^":
					e = E.slice(0, T = E.length >> 1) + n + e + r + E.slice(T);
					break;
				default: e = E + n + e + r;
			}
			return a(e);
		}
		return w.toString = function() {
			return e + "";
		}, w;
	}
	function u(e, t) {
		var n = Math.max(-8, Math.min(8, Math.floor(nr(t) / 3))) * 3, r = 10 ** -n, i = l((e = or(e), e.type = "f", e), { suffix: hr[8 + n / 3] });
		return function(e) {
			return i(r * e);
		};
	}
	return {
		format: l,
		formatPrefix: u
	};
}
var _r, vr, yr;
br({
	thousands: ",",
	grouping: [3],
	currency: ["$", ""]
});
function br(e) {
	return _r = gr(e), vr = _r.format, yr = _r.formatPrefix, _r;
}
function xr(e) {
	return Math.max(0, -nr(Math.abs(e)));
}
function Sr(e, t) {
	return Math.max(0, Math.max(-8, Math.min(8, Math.floor(nr(t) / 3))) * 3 - nr(Math.abs(e)));
}
function Cr(e, t) {
	return e = Math.abs(e), t = Math.abs(t) - e, Math.max(0, nr(t) - nr(e)) + 1;
}
// node_modules/d3-scale/dist/d3-scale.mjs
function wr(e, t) {
	switch (arguments.length) {
		case 0: break;
		case 1:
			this.range(e);
			break;
		default: this.range(t).domain(e);
	}
	return this;
}
function Tr(e) {
	return function() {
		return e;
	};
}
function Er(e) {
	return +e;
}
var Dr = [0, 1];
function Or(e) {
	return e;
}
function kr(e, t) {
	return (t -= e = +e) ? function(n) {
		return (n - e) / t;
	} : Tr(isNaN(t) ? NaN : .5);
}
function Ar(e, t) {
	var n;
	return e > t && (n = e, e = t, t = n), function(n) {
		return Math.max(e, Math.min(t, n));
	};
}
function jr(e, t, n) {
	var r = e[0], i = e[1], a = t[0], o = t[1];
	return i < r ? (r = kr(i, r), a = n(o, a)) : (r = kr(r, i), a = n(a, o)), function(e) {
		return a(r(e));
	};
}
function Mr(e, t, n) {
	var r = Math.min(e.length, t.length) - 1, i = Array(r), a = Array(r), o = -1;
	for (e[r] < e[0] && (e = e.slice().reverse(), t = t.slice().reverse()); ++o < r;) i[o] = kr(e[o], e[o + 1]), a[o] = n(t[o], t[o + 1]);
	return function(t) {
		var n = Kn(e, t, 1, r) - 1;
		return a[n](i[n](t));
	};
}
function Nr(e, t) {
	return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown());
}
function Pr() {
	var e = Dr, t = Dr, n = sn, r, i, a, o = Or, s, c, l;
	function u() {
		var n = Math.min(e.length, t.length);
		return o !== Or && (o = Ar(e[0], e[n - 1])), s = n > 2 ? Mr : jr, c = l = null, d;
	}
	function d(i) {
		return i == null || isNaN(i = +i) ? a : (c ||= s(e.map(r), t, n))(r(o(i)));
	}
	return d.invert = function(n) {
		return o(i((l ||= s(t, e.map(r), $t))(n)));
	}, d.domain = function(t) {
		return arguments.length ? (e = Array.from(t, Er), u()) : e.slice();
	}, d.range = function(e) {
		return arguments.length ? (t = Array.from(e), u()) : t.slice();
	}, d.rangeRound = function(e) {
		return t = Array.from(e), n = cn, u();
	}, d.clamp = function(e) {
		return arguments.length ? (o = e ? !0 : Or, u()) : o !== Or;
	}, d.interpolate = function(e) {
		return arguments.length ? (n = e, u()) : n;
	}, d.unknown = function(e) {
		return arguments.length ? (a = e, d) : a;
	}, function(e, t) {
		return r = e, i = t, u();
	};
}
function Fr() {
	return Pr()(Or, Or);
}
function Ir(e, t, n, r) {
	var i = $n(e, t, n), a;
	switch (r = or(r ?? ",f"), r.type) {
		case "s":
			var o = Math.max(Math.abs(e), Math.abs(t));
			return r.precision == null && !isNaN(a = Sr(i, o)) && (r.precision = a), yr(r, o);
		case "":
		case "e":
		case "g":
		case "p":
		case "r":
			r.precision == null && !isNaN(a = Cr(i, Math.max(Math.abs(e), Math.abs(t)))) && (r.precision = a - (r.type === "e"));
			break;
		case "f":
		case "%": r.precision == null && !isNaN(a = xr(i)) && (r.precision = a - (r.type === "%") * 2);
	}
	return vr(r);
}
function Lr(e) {
	var t = e.domain;
	return e.ticks = function(e) {
		var n = t();
		return Zn(n[0], n[n.length - 1], e ?? 10);
	}, e.tickFormat = function(e, n) {
		var r = t();
		return Ir(r[0], r[r.length - 1], e ?? 10, n);
	}, e.nice = function(n) {
		n ??= 10;
		var r = t(), i = 0, a = r.length - 1, o = r[i], s = r[a], c, l, u = 10;
		for (s < o && (l = o, o = s, s = l, l = i, i = a, a = l); u-- > 0;) {
			if (l = Qn(o, s, n), l === c) return r[i] = o, r[a] = s, t(r);
			if (l > 0) o = Math.floor(o / l) * l, s = Math.ceil(s / l) * l;
			else if (l < 0) o = Math.ceil(o * l) / l, s = Math.floor(s * l) / l;
			else break;
			c = l;
		}
		return e;
	}, e;
}
function Rr() {
	var e = Fr();
	return e.copy = function() {
		return Nr(e, Rr());
	}, wr.apply(e, arguments), Lr(e);
}
// web/elements/tensor.js
var X = class extends Error {
	constructor(e, t) {
		super(e), this.key = e, this.values = t;
	}
};
function Z(e, t) {
	let { data: n, dims: r, shape: i } = e ?? {}, a = Array.from(r ?? i ?? []);
	if (typeof n != "object" || typeof n?.length != "number" || !(r ?? i)) throw new X("problemTensor", { got: e === null ? "null" : Array.isArray(e) ? "an array" : typeof e });
	if (!a.every((e) => Number.isSafeInteger(e) && e >= 0)) throw new X("problemAxes", {
		want: t,
		dims: a.join(", ")
	});
	let o = [...a];
	for (; o.length > t && o[0] === 1;) o.shift();
	if (o.length !== t) throw new X("problemAxes", {
		want: t,
		dims: a.join(", ")
	});
	let s = o.reduce((e, t) => e * t, 1);
	if (n.length !== s) throw new X("problemSize", {
		dims: a.join(", "),
		need: s,
		count: n.length
	});
	if (s > 0 && typeof n[0] != "number" && typeof n[0] != "boolean") throw new X("problemNumbers", { got: typeof n[0] });
	return {
		data: n,
		dims: o
	};
}
function zr(e, t) {
	if (e.dims.join() !== t.dims.join()) throw new X("problemMinus", {
		dims: e.dims.join(", "),
		other: t.dims.join(", ")
	});
	let n = new Float32Array(e.data.length);
	for (let r = 0; r < n.length; r++) n[r] = e.data[r] === -Infinity && t.data[r] === -Infinity ? -Infinity : e.data[r] - t.data[r];
	return {
		data: n,
		dims: e.dims
	};
}
function Br({ data: e, dims: t }, n) {
	if (!n) return (t) => e[t] === -Infinity;
	if (n.dims.join() !== t.join()) throw new X("problemMask", {
		dims: t.join(", "),
		other: n.dims.join(", ")
	});
	let r = n.data;
	return r instanceof Float32Array || r instanceof Float64Array ? (t) => r[t] === -Infinity || e[t] === -Infinity : (t) => !r[t] || e[t] === -Infinity;
}
function Vr({ data: e }, t) {
	let [n, r] = [Infinity, -Infinity];
	for (let i = 0; i < e.length; i++) {
		let a = e[i];
		Math.abs(a) < Infinity && !t(i) && (a < n && (n = a), a > r && (r = a));
	}
	return n <= r ? {
		least: n,
		most: r
	} : {
		least: 0,
		most: 0
	};
}
function Hr(e, { least: t, most: n }) {
	let r = e === "sequential", i = Math.max(Math.abs(t), Math.abs(n)) || 1, a = r ? [Math.min(0, t), n <= 1.0001 ? 1 : n] : [-i, i], [o, s] = Rr().domain(a).nice(5).domain();
	return [o, s];
}
function Ur(e, t, n) {
	return ArrayBuffer.isView(e) ? e.subarray(t * n, (t + 1) * n) : Array.prototype.slice.call(e, t * n, (t + 1) * n);
}
// web/elements/texts.js
var Wr = {
	queries: "queries",
	keys: "keys",
	dimensions: "dimensions",
	row: "row {index}",
	column: "column {index}",
	cell: "{row} to {column}: {value}",
	hidden: "hidden",
	hiddenValue: "hidden ({value})",
	nan: "not a number",
	infinity: "infinity",
	map: "Map of {rows} rows by {columns} columns",
	ofMap: "{label}, {rows} rows by {columns} columns",
	help: "Arrow keys move, Enter keeps a cell, plus and minus zoom, 0 shows all.",
	helpPaint: "Arrow keys move, Space hides or shows a cell, with Shift while moving.",
	helpEdit: "Arrow keys move, a digit or F2 starts typing, Enter writes the number.",
	edit: "New value of {row}, {column}",
	kept: "{cell}, kept",
	zoomIn: "Zoom in",
	zoomOut: "Zoom out",
	zoomAll: "Show all",
	zoomed: "Rows {firstRow} to {lastRow} of {rows}, columns {firstColumn} to {lastColumn} of {columns}",
	asImage: "The {rows} by {columns} cells are one embedded image; all else is vectors.",
	asTable: "As table",
	asMap: "As map",
	previousRows: "Rows before",
	nextRows: "Rows after",
	previousColumns: "Columns before",
	nextColumns: "Columns after",
	empty: "Nothing to show yet.",
	problemTensor: "A tensor { data, dims } is expected; {got} came.",
	problemAxes: "{want} axes are expected; dims are ({dims}).",
	problemSize: "dims ({dims}) need {need} numbers; data has {count}.",
	problemNumbers: "data is expected to hold numbers; it holds {got}.",
	problemMinus: "Only tensors of the same size can be compared: ({dims}) and ({other}).",
	problemMask: "The mask has size ({other}), the map ({dims}).",
	heads: "Heads",
	head: "Head {index}",
	entropy: "entropy",
	bits: "{value} bit",
	first: "first token",
	previous: "previous",
	self: "itself",
	links: "Links from queries to keys",
	linksOf: "{token} looks at {links}",
	linksTo: "{token} is seen by {links}",
	noLinks: "nothing",
	threshold: "Links below {value} are left out.",
	steps: "Steps",
	shape: "{name} ({dims})"
}, Gr = (e, t = {}) => e.replace(/\{(\w+)\}/g, (e, n) => String(t[n] ?? e)), Kr = o`
  :host {
    display: block;
    box-sizing: border-box;
    min-inline-size: 0;
    max-inline-size: 100%;
    color: var(--qkv-ink, CanvasText);
    font: 400 0.8125rem/1.4 var(--qkv-font, system-ui, sans-serif);
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  .size {
    position: relative;
    max-inline-size: 100%;
  }
  canvas {
    display: block;
  }
  .probe {
    position: absolute;
    visibility: hidden;
    inline-size: 0;
    block-size: 0;
    color: CanvasText;
    border-color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
    outline-color: var(--qkv-rule, light-dark(#d4d4ce, #393c41));
    background-color: var(--qkv-paper, Canvas);
    text-decoration-color: var(--qkv-mark, CanvasText);
    column-rule-color: var(--qkv-ink, CanvasText);
    transition: color 1ms, background-color 1ms, border-color 1ms, column-rule-color 1ms;
  }
  .quiet,
  .problem {
    margin: 0;
    color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
  }
  .problem {
    padding: 0.5rem 0.75rem;
    border-inline-start: 3px solid var(--qkv-problem, light-dark(#a3260d, #ff9a80));
    color: var(--qkv-problem, light-dark(#a3260d, #ff9a80));
    overflow-wrap: anywhere;
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
    margin-block-start: 0.25rem;
  }
  button {
    font: inherit;
    color: inherit;
  }
  .tools button {
    min-inline-size: 1.75rem;
    min-block-size: 1.75rem;
    padding: 0 0.5rem;
    border: 1px solid transparent;
    border-radius: 4px;
    background: none;
    color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
    font-size: 0.75rem;
    cursor: pointer;
  }
  .tools button:hover:not(:disabled) {
    border-color: currentColor;
  }
  .tools button:disabled {
    opacity: 0.45;
    cursor: default;
  }
  :focus-visible {
    outline: 2px solid var(--qkv-mark, CanvasText);
    outline-offset: 1px;
  }
`, qr = Me, Jr = class extends qr {
	static properties = {
		label: {},
		texts: { attribute: !1 }
	};
	#e = new ResizeObserver(([{ contentRect: e }]) => {
		Math.abs(e.width - this.room) < .5 || (this.room = e.width, this.requestUpdate());
	});
	#t = matchMedia("(prefers-color-scheme: dark)");
	#n = new MutationObserver(() => this.refresh());
	refresh = () => {
		this.#r = void 0, this.requestUpdate();
	};
	#r = void 0;
	#i = null;
	room = 0;
	constructor() {
		super(), this.label = "", this.texts = {};
	}
	connectedCallback() {
		super.connectedCallback(), this.#r = void 0, this.#t.addEventListener("change", this.refresh), this.#n.observe(document.documentElement, {
			attributes: !0,
			attributeFilter: [
				"class",
				"style",
				"data-theme"
			]
		}), document.fonts?.ready.then(this.refresh), this.requestUpdate();
	}
	disconnectedCallback() {
		super.disconnectedCallback(), this.#t.removeEventListener("change", this.refresh), this.#n.disconnect(), this.#e.disconnect(), this.#i = null;
	}
	updated(e) {
		super.updated(e);
		let t = this.renderRoot.querySelector(".size");
		t !== this.#i && (this.#e.disconnect(), t && this.#e.observe(t), this.#i = t);
	}
	measure(e) {
		this.room = e.clientWidth;
	}
	say(e, t) {
		return Gr(this.texts?.[e] ?? Wr[e], t);
	}
	get look() {
		if (this.#r) return this.#r;
		let e = this.renderRoot.querySelector(".probe"), t = getComputedStyle(this), n = e ? getComputedStyle(e) : t, r = {
			ink: n.columnRuleColor,
			quiet: n.borderTopColor,
			rule: n.outlineColor,
			paper: n.backgroundColor,
			mark: n.textDecorationColor,
			isDark: Cn(n.color) > .4,
			family: t.fontFamily,
			fontSize: Number.parseFloat(t.fontSize) || 13
		};
		return e && (this.#r = r), r;
	}
	get probe() {
		return A`<span class="probe" @transitionend=${this.refresh}></span>`;
	}
	problem(e) {
		if (!(e instanceof X)) throw e;
		return A`<p class="problem" part="problem">${this.say(e.key, e.values)}</p>`;
	}
	pen(e, t, n, r = devicePixelRatio || 1) {
		let [i, a] = [Math.round(t * r), Math.round(n * r)];
		(e.width !== i || e.height !== a) && (e.width = i, e.height = a), e.style.width = `${t}px`, e.style.height = `${n}px`;
		let o = e.getContext("2d");
		if (o) return o.setTransform(r, 0, 0, r, 0, 0), o.clearRect(0, 0, t, n), new In(o, this.look.family);
	}
	async toPNG(e = 2) {
		let t = document.createElement("canvas"), { width: n, height: r, draw: i } = this.picture(), a = this.pen(t, n, r, e);
		if (!a) throw Error("No canvas: this browser is out of memory for pictures.");
		return a.fill(0, 0, n, r, this.look.paper), i(a), new Promise((e, n) => t.toBlob((t) => t ? e(t) : n(/* @__PURE__ */ Error("The picture is too large.")), "image/png"));
	}
	toSVG() {
		let e = new zn(this.look.family), { width: t, height: n, draw: r, description: i } = this.picture();
		return e.fill(0, 0, t, n, this.look.paper), r(e), e.picture(t, n, this.label || this.localName, i);
	}
	picture() {
		throw Error(`${this.localName} has no picture`);
	}
}, Yr = "−";
function Q(e, t) {
	return Number.isNaN(e) ? "nan" : Number.isFinite(e) ? vr(Math.abs(e) >= 1e7 ? `.${Math.min(t, 2)}e` : `.${t}f`)(e) : e < 0 ? `${Yr}∞` : "∞";
}
var Xr = (e) => vr(Math.abs(e) >= 1e5 ? ".2e" : ".3~r")(e);
function Zr({ least: e, most: t }, n, r) {
	for (let i = n; i >= Math.min(1, n); i--) if (r(Q(e, i)) && r(Q(t, i))) return i;
}
// web/elements/raster.js
function Qr({ data: e, dims: t, isHidden: n, scale: r, domain: i }, a, { row: o, column: s, rows: c, columns: l }, u, d) {
	let { pixels: f } = On(r, a), p = wn(An(a).nan), m = new ImageData(u, d), h = new Uint32Array(m.data.buffer), g = r === "diverging", _ = (i[0] + i[1]) / 2, v = new Float64Array(u), y = new Uint8Array(u);
	for (let r = 0; r < d; r++) {
		let [a, m] = [Math.floor(r * c / d), Math.ceil((r + 1) * c / d)];
		v.fill(-1);
		for (let r = a; r < m; r++) {
			let a = (o + r) * t[1] + s;
			for (let t = 0; t < l; t++) {
				if (n(a + t)) continue;
				let r = e[a + t], o = u === l ? t : Math.floor(t * u / l), s = g ? Math.abs(r - _) : r - i[0];
				Number.isNaN(s) ? v[o] = Infinity : (s > v[o] || v[o] < 0 && s <= 0) && (v[o] = Math.min(Math.max(s, 0), Number.MAX_VALUE), y[o] = kn(r, i));
			}
		}
		for (let e = 0; e < u; e++) v[e] >= 0 && (h[r * u + e] = v[e] === Infinity ? p : f[y[e]]);
	}
	return m;
}
function $r(e) {
	let t = document.createElement("canvas");
	return t.width = e.width, t.height = e.height, t.getContext("2d")?.putImageData(e, 0, 0), t;
}
// web/elements/statistics.js
function ei(e, { offset: t = 0 } = {}) {
	let { data: n, dims: [r, i, a] } = Z(e, 3);
	return Array.from({ length: r }, (e, r) => {
		let [o, s, c, l] = [
			0,
			0,
			0,
			0
		], [u, d, f] = [
			0,
			0,
			0
		];
		for (let e = 0; e < i; e++) {
			let p = (r * i + e) * a, [m, h] = [0, 0];
			for (let e = 0; e < a; e++) {
				let t = n[p + e];
				m += t, t !== 0 && (h -= t * Math.log2(t));
			}
			if (m === 0) continue;
			u++, o += h, s += n[p];
			let g = e + t;
			g >= 1 && g <= a && (d++, c += n[p + g - 1]), g >= 0 && g < a && (f++, l += n[p + g]);
		}
		return {
			entropy: o / u,
			first: s / u,
			previous: c / d,
			self: l / f
		};
	});
}
// web/elements/heads.js
var ti = 72, ni = 12, ri = class extends Jr {
	static styles = [Kr, o`
      .heads {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(var(--qkv-head, 6.75rem), 1fr));
        gap: 0.5rem;
      }
      [role='radio'] {
        display: flex;
        flex-direction: column;
        align-items: center;
        gap: 0.125rem;
        min-inline-size: 0;
        padding: 0.375rem 0.25rem;
        border: 2px solid transparent;
        border-radius: 6px;
        cursor: pointer;
      }
      [role='radio']:hover {
        border-color: var(--qkv-rule, light-dark(#d4d4ce, #393c41));
      }
      [role='radio'][aria-checked='true'] {
        border-color: var(--qkv-mark, CanvasText);
      }
      canvas {
        border: 1px solid var(--qkv-rule, light-dark(#d4d4ce, #393c41));
        image-rendering: pixelated;
      }
      dl {
        display: grid;
        grid-template-columns: auto auto;
        gap: 0 0.375rem;
        margin: 0;
        font-size: 0.6875rem;
        line-height: 1.35;
      }
      dt {
        color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
      }
      dd {
        margin: 0;
        text-align: end;
      }
    `];
	static properties = {
		weights: { attribute: !1 },
		mask: { attribute: !1 },
		selected: { type: Number },
		names: { attribute: !1 },
		scale: {},
		offset: { type: Number },
		numbers: { type: Boolean },
		statistics: { state: !0 }
	};
	constructor() {
		super(), this.weights = void 0, this.mask = void 0, this.selected = 0, this.names = [], this.scale = "sequential", this.offset = 0, this.numbers = !0, this.statistics = [];
	}
	#e = void 0;
	#t = void 0;
	#n = void 0;
	#r = "";
	#i = 0;
	willUpdate(e) {
		if ([
			"weights",
			"mask",
			"scale",
			"offset",
			"numbers"
		].some((t) => e.has(t)) && (this.#i++, this.#e = this.#t = this.#n = void 0, this.weights !== void 0)) try {
			let e = Z(this.weights, 3);
			this.#t = this.mask === void 0 ? void 0 : this.#a(e), this.#e = e, this.statistics = this.numbers ? ei(this.weights, { offset: this.offset }) : [];
		} catch (e) {
			this.#n = e;
		}
	}
	#a(e) {
		let t = Array.from(this.mask?.dims ?? this.mask?.shape ?? []), n = Z(this.mask, t.length > 2 && t.at(-3) !== 1 ? 3 : 2);
		return Br({
			data: e.data,
			dims: n.dims.length === 3 ? e.dims : e.dims.slice(1)
		}, n), n;
	}
	#o({ data: e, dims: [, t, n] }, r) {
		let i = t * n, a = {
			data: Ur(e, r, i),
			dims: [t, n]
		}, o = Br(a, this.#t && (this.#t.dims.length === 3 ? {
			data: Ur(this.#t.data, r, i),
			dims: a.dims
		} : this.#t)), s = this.scale === "sequential" ? {
			least: 0,
			most: 1
		} : Vr(a, o);
		return {
			...a,
			isHidden: o,
			scale: this.scale,
			domain: Hr(this.scale, s)
		};
	}
	#s({ dims: [, e, t] }) {
		let n = ti / Math.max(e, t, 1);
		return {
			width: Math.max(4, n * t),
			height: Math.max(4, n * e)
		};
	}
	#c(e, t, n) {
		let { width: r, height: i } = this.#s(e), a = this.#o(e, t), [o, s] = a.dims, [c, l] = [Math.min(s, Math.round(r * n)), Math.min(o, Math.round(i * n))];
		return $r(Qr(a, this.look.isDark, {
			row: 0,
			column: 0,
			rows: o,
			columns: s
		}, c, l));
	}
	#l(e, t, n, r, i, a) {
		let { width: o, height: s } = this.#s(t), { hidden: c, hatch: l } = An(this.look.isDark);
		e.hatch(r, i, o, s, {
			ground: c,
			line: l
		});
		let [u, d] = t.dims.slice(1);
		if ("context" in e || u * d > 1024) return e.image(this.#c(t, n, a), r, i, o, s);
		let f = this.#o(t, n), { colours: p } = On(f.scale, this.look.isDark), { nan: m } = An(this.look.isDark);
		for (let t = 0; t < u * d; t++) {
			if (f.isHidden(t)) continue;
			let [n, a] = [t % d * o / d, Math.floor(t / d) * s / u], c = f.data[t], l = Math.round((c - f.domain[0]) / (f.domain[1] - f.domain[0]) * 255), h = Number.isNaN(c) ? m : p[Math.min(Math.max(l, 0), 255)];
			e.fill(r + n, i + a, o / d, s / u, h);
		}
	}
	updated(e) {
		super.updated(e);
		let t = this.#e, n = devicePixelRatio || 1, r = `${this.#i} ${n} ${this.look.isDark}`;
		if (!t || t.data.length === 0 || r === this.#r) return;
		this.#r = r;
		let { width: i, height: a } = this.#s(t);
		this.renderRoot.querySelectorAll("canvas").forEach((e, r) => {
			let o = this.pen(e, i, a, n);
			o && this.#l(o, t, r, 0, 0, n);
		});
	}
	#u(e) {
		e !== this.selected && (this.selected = e, this.dispatchEvent(new CustomEvent("head-select", {
			detail: { head: e },
			bubbles: !0,
			composed: !0
		})));
	}
	#d = (e) => {
		let t = this.#e?.dims[0] ?? 0, n = {
			ArrowRight: (this.selected + 1) % t,
			ArrowDown: (this.selected + 1) % t,
			ArrowLeft: (this.selected + t - 1) % t,
			ArrowUp: (this.selected + t - 1) % t,
			Home: 0,
			End: t - 1
		}[e.key];
		n !== void 0 && (e.preventDefault(), this.#u(n), this.updateComplete.then(() => {
			let e = this.renderRoot.querySelectorAll("[role=radio]")[n];
			e instanceof HTMLElement && e.focus();
		}));
	};
	#f(e) {
		return this.names?.[e] ?? this.say("head", { index: e + 1 });
	}
	#p({ entropy: e, first: t, previous: n, self: r }) {
		let i = (e) => Number.isNaN(e) ? "–" : Q(e, 2);
		return [
			{
				name: this.say("entropy"),
				value: Number.isNaN(e) ? "–" : this.say("bits", { value: Q(e, 2) })
			},
			{
				name: this.say("first"),
				value: i(t)
			},
			{
				name: this.say("previous"),
				value: i(n)
			},
			{
				name: this.say("self"),
				value: i(r)
			}
		];
	}
	picture() {
		let e = this.#e;
		if (!e) return {
			width: ti,
			height: ti,
			draw: () => {}
		};
		let { width: t, height: n } = this.#s(e), r = e.dims[0], i = this.statistics.length ? 5 : 1, [a, o] = [Math.max(t, 136) + ni, n + i * 14 + ni], s = Math.max(1, Math.min(r, Math.floor(Math.max(this.room, a) / a))), { ink: c, quiet: l, rule: u } = this.look;
		return {
			width: s * a + ni,
			height: Math.ceil(r / s) * o + ni,
			draw: (i) => {
				for (let d = 0; d < r; d++) {
					let [r, f] = [ni + d % s * a, ni + Math.floor(d / s) * o];
					this.#l(i, e, d, r, f, 2), i.frame(r - .5, f - .5, t + 1, n + 1, { stroke: d === this.selected ? c : u }), i.text(this.#f(d), r, f + n + 9, {
						size: 11,
						fill: c,
						most: a - 8
					}), (this.statistics[d] ? this.#p(this.statistics[d]) : []).forEach(({ name: e, value: t }, o) => {
						i.text(`${e} ${t}`, r, f + n + 23 + o * 14, {
							size: 10,
							fill: l,
							most: a - 8
						});
					});
				}
			}
		};
	}
	render() {
		let e = this.#e;
		if (this.#n) return [this.probe, this.problem(this.#n)];
		if (!e || e.data.length === 0) return [this.probe, A`<p class="quiet" part="empty">${this.say("empty")}</p>`];
		let t = Math.min(Math.max(this.selected, 0), e.dims[0] - 1);
		return A`${this.probe}
      <div class="heads size" role="radiogroup" aria-label=${this.label || this.say("heads")} @keydown=${this.#d}>
        ${Array.from({ length: e.dims[0] }, (e, n) => A`<div
            role="radio"
            part="head"
            aria-checked=${n === t}
            tabindex=${n === t ? 0 : -1}
            aria-labelledby="name-${n}"
            aria-describedby=${this.statistics[n] ? `numbers-${n}` : j}
            @click=${() => this.#u(n)}
          >
            <canvas aria-hidden="true"></canvas>
            <span id="name-${n}">${this.#f(n)}</span>
            ${this.statistics[n] ? A`<dl id="numbers-${n}">
                    ${this.#p(this.statistics[n]).map(({ name: e, value: t }) => A`<dt>${e}</dt><dd>${t}</dd>`)}
                  </dl>` : j}
          </div>`)}
      </div>`;
	}
}, ii = (e) => (...t) => ({
	_$litDirective$: e,
	values: t
}), ai = class {
	constructor(e) {}
	get _$AU() {
		return this._$AM._$AU;
	}
	_$AT(e, t, n) {
		this._$Ct = e, this._$AM = t, this._$Ci = n;
	}
	_$AS(e, t) {
		return this.update(e, t);
	}
	update(e, t) {
		return this.render(...t);
	}
}, { I: oi } = Oe, si = {}, ci = (e, t = si) => e._$AH = t, li = ii(class extends ai {
	constructor() {
		super(...arguments), this.key = j;
	}
	render(e, t) {
		return this.key = e, t;
	}
	update(e, [t, n]) {
		return t !== this.key && (ci(e), this.key = t), n;
	}
}), ui = Object.freeze({
	zoom: 1,
	row: 0,
	column: 0
}), di = 18, fi = 6, pi = 26, mi = 120, hi = 96;
function gi({ rows: e, columns: t, width: n, most: r, mostHeight: i, rowLabel: a, columnLabel: o, titles: s, legend: c, fontSize: l, view: u = ui }) {
	let d = s ? di : 0, f = a ? Math.min(Math.ceil(a), Math.max(24, Math.floor(n * .28))) + fi : 0, p = d + f, m = Math.max(n - p - 2, 8), h = Math.min(r, m / Math.max(t, 1)), g = Math.min(h, Math.round(l * 2.4), i / Math.max(e, 1));
	(h < l * 2.4 || g < l) && (h = Math.min(h, Math.max(g, Math.min(24, 144 / t)))), h >= 6 && (h = Math.floor(h)), g >= 6 && (g = Math.floor(g));
	let _ = o > h - 4, v = o ? (_ ? Math.min(Math.ceil(o), 96) : l) + fi : 0, y = {
		left: p,
		top: d + v,
		width: h * t,
		height: g * e
	}, b = vi(u, {
		rows: e,
		columns: t,
		cellWidth: h,
		cellHeight: g
	});
	return {
		width: Math.ceil(p + Math.max(y.width, c ? Math.min(mi, m) : 0) + 2),
		height: Math.ceil(y.top + y.height + 2 + (c ? pi : 0)),
		plot: y,
		cellWidth: h * b.zoom,
		cellHeight: g * b.zoom,
		view: b,
		rows: e,
		columns: t,
		isUpright: _,
		rowLabels: f,
		columnLabels: v
	};
}
var _i = ({ columns: e, most: t, rowLabel: n, titles: r, legend: i }) => Math.ceil(Math.max(e * t, i ? mi : 0) + (r ? di : 0) + (n ? Math.ceil(n) + fi : 0) + 2);
function vi({ zoom: e, row: t, column: n }, { rows: r, columns: i, cellWidth: a, cellHeight: o }) {
	let s = Math.max(1, hi / Math.min(a, o)), c = Math.min(Math.max(e, 1), s), l = (e, t) => Math.min(Math.max(e, 0), t - t / c);
	return {
		zoom: c,
		row: l(t, r),
		column: l(n, i)
	};
}
function yi({ plot: e, cellWidth: t, cellHeight: n, view: r, rows: i, columns: a }, o, s) {
	if (o < e.left || s < e.top || o >= e.left + e.width || s >= e.top + e.height) return;
	let c = Math.floor((s - e.top) / n + r.row), l = Math.floor((o - e.left) / t + r.column);
	return c < i && l < a ? {
		row: c,
		column: l
	} : void 0;
}
var $ = ({ plot: e, cellWidth: t, cellHeight: n, view: r }, { row: i, column: a }) => ({
	left: e.left + (a - r.column) * t,
	top: e.top + (i - r.row) * n,
	width: t,
	height: n
});
function bi({ plot: e, cellWidth: t, cellHeight: n, view: r, rows: i, columns: a }) {
	let o = (e, t, n, r) => {
		let i = Math.max(Math.floor(e + 1e-6), 0);
		return {
			from: i,
			count: Math.max(Math.min(Math.ceil(e + t / n - 1e-6), r) - i, 0)
		};
	}, s = o(r.row, e.height, n, i), c = o(r.column, e.width, t, a);
	return {
		row: s.from,
		rows: s.count,
		column: c.from,
		columns: c.count
	};
}
function xi({ plot: e, cellWidth: t, cellHeight: n, view: r }, i, a, o) {
	let [s, c] = [(a - e.left) / t, (o - e.top) / n];
	return {
		zoom: r.zoom * i,
		row: r.row + c - c / i,
		column: r.column + s - s / i
	};
}
var Si = ({ cellWidth: e, cellHeight: t, view: n }, r, i) => ({
	zoom: n.zoom,
	row: n.row - i / t,
	column: n.column - r / e
});
function Ci({ plot: e, cellWidth: t, cellHeight: n, view: r }, { row: i, column: a }) {
	let o = (e, t, n) => t < e ? t : t + 1 > e + n ? t + 1 - n : e;
	return {
		zoom: r.zoom,
		row: o(r.row, i, e.height / n),
		column: o(r.column, a, e.width / t)
	};
}
function wi({ key: e, ctrlKey: t, metaKey: n }, { row: r, column: i }, a, o) {
	let s = t || n, c = Math.max(10, Math.round(a / 10)), [l, u] = [a - 1, o - 1];
	switch (e) {
		case "ArrowUp": return {
			row: s ? 0 : Math.max(r - 1, 0),
			column: i
		};
		case "ArrowDown": return {
			row: s ? l : Math.min(r + 1, l),
			column: i
		};
		case "ArrowLeft": return {
			row: r,
			column: s ? 0 : Math.max(i - 1, 0)
		};
		case "ArrowRight": return {
			row: r,
			column: s ? u : Math.min(i + 1, u)
		};
		case "Home": return {
			row: s ? 0 : r,
			column: 0
		};
		case "End": return {
			row: s ? l : r,
			column: u
		};
		case "PageUp": return {
			row: Math.max(r - c, 0),
			column: i
		};
		case "PageDown": return {
			row: Math.min(r + c, l),
			column: i
		};
	}
}
// web/elements/draw.js
var Ti = 7, Ei = 4096;
function Di(e, t, n, r, i, a) {
	let { plot: o } = n, s = bi(n);
	e.clip(o.left, o.top, o.width, o.height, () => {
		a ? Oi(e, n, r, a, s) : (ki(e, t, n, r, s), Ai(e, t, n, r, s)), ji(e, n, r, i);
	}), e.frame(o.left - .5, o.top - .5, o.width + 1, o.height + 1, { stroke: r.rule }), Mi(e, t, n, r, i, s), t.legend && Ni(e, t, n, r);
}
function Oi(e, t, { isDark: n }, r, i) {
	let { plot: a, cellWidth: o, cellHeight: s } = t, { hidden: c, hatch: l } = An(n);
	e.hatch(a.left, a.top, a.width, a.height, {
		ground: c,
		line: l
	});
	let { left: u, top: d } = $(t, i);
	e.image(r, u, d, i.columns * o, i.rows * s);
}
function ki(e, { data: t, dims: n, isHidden: r, scale: i, domain: a }, o, { isDark: s, paper: c }, l) {
	let { colours: u } = On(i, s), { hidden: d, hatch: f, nan: p, nanInk: m } = An(s), { plot: h, cellWidth: g, cellHeight: _ } = o, v = +(Math.min(g, _) >= Ti);
	e.fill(h.left, h.top, h.width, h.height, c);
	let y = l.column + l.columns;
	for (let i = l.row; i < l.row + l.rows; i++) {
		let s = $(o, {
			row: i,
			column: l.column
		}), c = (e) => Math.round(s.left + (e - l.column) * g), [h, b] = [Math.round(s.top), Math.round(s.top + _)];
		for (let o = l.column; o < y; o++) {
			let s = o;
			if (r(i * n[1] + o)) {
				for (; o + 1 < y && r(i * n[1] + o + 1);) o++;
				e.hatch(c(s), h, c(o + 1) - c(s), b - h, {
					ground: d,
					line: f
				});
				continue;
			}
			let l = t[i * n[1] + o], g = !Number.isNaN(l), [_, x, S] = [
				c(s),
				c(s + 1) - c(s) - v,
				b - h - v
			];
			e.fill(_, h, x, S, g ? u[kn(l, a)] : p), !g && v && e.line([
				_,
				b - v,
				_ + 5,
				b - v - 5
			], { stroke: m });
		}
	}
}
function Ai(e, t, n, r, i) {
	let { data: a, dims: o, isHidden: s, scale: c, domain: l, range: u, ghost: d } = t, { inks: f } = On(c, r.isDark), { hidden: p, nanInk: m } = An(r.isDark), { cellWidth: h, cellHeight: g } = n, _ = Math.min(r.fontSize, Math.floor(g * .62));
	if (_ < 9) return;
	let v = `400 ${_}px ${r.family}`, y = Zr(u, t.decimals, (e) => J(e, v) <= h - 4);
	if (y !== void 0) for (let t = i.row; t < i.row + i.rows; t++) for (let c = i.column; c < i.column + i.columns; c++) {
		let i = t * o[1] + c, { left: u, top: b } = $(n, {
			row: t,
			column: c
		}), [x, S] = [u + h / 2, b + g / 2], C = Q(a[i], y);
		if (s(i)) {
			let t = Math.min(J(C, v) + 4, h - 2);
			e.fill(x - t / 2, S - _ / 2 - 1, t, _ + 2, p), e.text(C, x, S, {
				size: _,
				fill: r.quiet,
				align: "center"
			});
			continue;
		}
		let w = Number.isNaN(a[i]) ? m : f[kn(a[i], l)], T = d && Q(d[i], y);
		if (T === void 0 || T === C) {
			e.text(C, x, S, {
				size: _,
				fill: w,
				align: "center"
			});
			continue;
		}
		e.text(C, x, S + _ * .32, {
			size: _,
			fill: w,
			align: "center",
			weight: 600
		});
		let E = Math.max(_ * .72, 7), ee = J(T, `400 ${E}px ${r.family}`), te = b + E * .75;
		e.text(T, x, te, {
			size: E,
			fill: w,
			align: "center"
		}), e.line([
			x - ee / 2,
			te,
			x + ee / 2,
			te
		], {
			stroke: w,
			width: .75
		});
	}
}
function ji(e, t, n, { focus: r, isFocused: i, pinned: a, highlight: o = {} }) {
	let { plot: s, cellWidth: c, cellHeight: l } = t, u = {
		stroke: n.mark,
		width: 1,
		dash: [3, 2]
	};
	for (let n of o.rows ?? []) {
		let { top: r } = $(t, {
			row: n,
			column: 0
		});
		e.frame(s.left + .5, r + .5, s.width - 1, l - 1, u);
	}
	for (let n of o.columns ?? []) {
		let { left: r } = $(t, {
			row: 0,
			column: n
		});
		e.frame(r + .5, s.top + .5, c - 1, s.height - 1, u);
	}
	let d = (r, i, a) => {
		let o = $(t, r), s = Math.max(0, 9 - Math.min(o.width, o.height)) / 2, [c, l] = [o.left - s + i / 2, o.top - s + i / 2], [u, d] = [o.width + 2 * s - i, o.height + 2 * s - i];
		e.frame(c, l, u, d, {
			stroke: n.paper,
			width: i + 2
		}), e.frame(c, l, u, d, {
			stroke: n.mark,
			width: i,
			dash: a
		});
	};
	for (let e of o.cells ?? []) d(e, 1, [3, 2]);
	a && d(a, 2, []), r && d(r, i ? 3 : 1.5, []);
}
function Mi(e, t, n, r, i, a) {
	let { plot: o, cellWidth: s, cellHeight: c, rowLabels: l, columnLabels: u, isUpright: d } = n, { fontSize: f, quiet: p, ink: m } = r, h = Math.min(f, 12), g = (e) => /* @__PURE__ */ new Set([
		...i.focus ? [i.focus[e]] : [],
		...i.pinned ? [i.pinned[e]] : [],
		...((e === "row" ? i.highlight?.rows : i.highlight?.columns) ?? []).slice(0, 40)
	]), _ = (e, t, n, r, i, a) => {
		let o = Math.max(1, Math.ceil(r / n)), s = (e) => [...i].some((t) => t !== e && Math.abs(t - e) * n < r);
		for (let n = Math.ceil(e / o) * o; n < e + t; n += o) !i.has(n) && !s(n) && a(n, !1);
		for (let n of i) n >= e && n < e + t && a(n, !0);
	};
	l && e.clip(0, o.top - 6, o.left, o.height + 12, () => _(a.row, a.rows, c, h + 1, g("row"), (r, i) => {
		let { top: a } = $(n, {
			row: r,
			column: 0
		}), s = Fn(t.rowTokens[r]), u = i ? m : p;
		e.text(s, o.left - 5, a + c / 2, {
			size: h,
			fill: u,
			align: "right",
			most: l - 5
		});
	})), u && e.clip(o.left - 6, 0, o.width + 12, o.top, () => _(a.column, a.columns, s, d ? h + 1 : 4, g("column"), (r, i) => {
		let { left: a } = $(n, {
			row: 0,
			column: r
		}), c = Fn(t.columnTokens[r]), l = i ? m : p, f = a + s / 2;
		d ? e.text(c, f, o.top - 5, {
			size: h,
			fill: l,
			upright: !0,
			most: u - 6
		}) : e.text(c, f, o.top - 5 - h / 2, {
			size: h,
			fill: l,
			align: "center",
			most: Math.max(s - 2, 12)
		});
	}));
	let v = {
		size: 11,
		fill: p,
		align: "center"
	}, [y, b] = [o.left + o.width / 2, o.top + o.height / 2];
	t.columnTitle && e.text(`${t.columnTitle} →`, Math.max(y, o.left + 20), 8, v), t.rowTitle && e.text(`← ${t.rowTitle}`, 8, b, {
		...v,
		upright: !0
	});
}
function Ni(e, { scale: t, domain: n, data: r, isHidden: i, hiddenWord: a }, { plot: o }, { isDark: s, rule: c, quiet: l, family: u }) {
	let { colours: d } = On(t, s), f = o.top + o.height + 12, [p, m] = n.map(Xr), h = {
		size: 11,
		fill: l
	}, g = J(p, `400 11px ${u}`);
	e.text(p, o.left, f + 4, h);
	let _ = o.left + g + 5, v = Math.max(Math.min(88, o.width - g - 60), 40);
	for (let t = 0; t < 64; t++) e.fill(_ + t * v / 64, f, v / 64 + .5, 8, d[Math.round(t * 255 / 63)]);
	e.frame(_ - .5, f - .5, v + 1.5, 9, { stroke: c }), e.text(m, _ + v + 5, f + 4, h);
	let y = _ + v + 5 + J(m, `400 11px ${u}`) + 14, b = J(a, `400 11px ${u}`);
	if (y + 22 + b > o.left + o.width || !Pi(r.length, i)) return;
	let { hidden: x, hatch: S } = An(s);
	e.hatch(y, f, 16, 8, {
		ground: x,
		line: S
	}), e.frame(y - .5, f - .5, 17, 9, { stroke: c }), e.text(a, y + 21, f + 4, h);
}
function Pi(e, t) {
	for (let n = 0; n < e; n++) if (t(n)) return !0;
	return !1;
}
// web/elements/gestures.js
var Fi = 4;
function Ii(e, t) {
	let n = Math.max(Math.abs(t.row - e.row), Math.abs(t.column - e.column));
	return Array.from({ length: n }, (r, i) => ({
		row: Math.round(e.row + (t.row - e.row) * (i + 1) / n),
		column: Math.round(e.column + (t.column - e.column) * (i + 1) / n)
	}));
}
var Li = class {
	#e = /* @__PURE__ */ new Map();
	#t = void 0;
	constructor(e) {
		this.actions = e;
	}
	#n(e) {
		let { left: t, top: n } = e.currentTarget.getBoundingClientRect(), r = {
			x: e.clientX - t,
			y: e.clientY - n
		}, i = this.actions.layout();
		return {
			...r,
			layout: i,
			cell: i && yi(i, r.x, r.y)
		};
	}
	down = (e) => {
		if (e.button !== 0) return;
		let { x: t, y: n, cell: r } = this.#n(e);
		this.#e.set(e.pointerId, {
			x: t,
			y: n
		}), this.#e.size > 1 ? this.#t = void 0 : (this.#t = {
			x: t,
			y: n,
			cell: r,
			last: r,
			hasMoved: !1
		}, r && this.actions.point(r), r && this.actions.mode() === "paint" && (this.actions.paint(r, !0), Ri(e)));
	};
	move = (e) => {
		let { x: t, y: n, cell: r, layout: i } = this.#n(e);
		if (!i) return;
		let a = this.#e.get(e.pointerId);
		if (!a) {
			r && this.actions.point(r);
			return;
		}
		if (this.#e.size === 2) {
			let r = [...this.#e].find(([t]) => t !== e.pointerId)?.[1];
			if (!r) return;
			let [o, s] = [Math.hypot(a.x - r.x, a.y - r.y), Math.hypot(t - r.x, n - r.y)];
			this.#e.set(e.pointerId, {
				x: t,
				y: n
			}), o > 0 && s > 0 && this.actions.look(xi(i, s / o, (t + r.x) / 2, (n + r.y) / 2));
			return;
		}
		let o = this.#t;
		if (!o || !o.hasMoved && Math.hypot(t - o.x, n - o.y) < Fi) return;
		let s = !o.hasMoved;
		o.hasMoved = !0, Ri(e);
		let c = this.actions.mode();
		if (c === "paint") {
			if (!r || !o.last) return;
			for (let e of Ii(o.last, r)) this.actions.paint(e, !1);
			o.last = r;
		} else c === "edit" && o.cell ? this.actions.scrub(o.cell, t - o.x, e.shiftKey, s) : i.view.zoom > 1 && this.actions.look(Si(i, t - a.x, n - a.y));
		this.#e.set(e.pointerId, {
			x: t,
			y: n
		});
	};
	up = (e) => {
		this.#e.delete(e.pointerId);
		let t = this.#t;
		this.#t = void 0, e.type === "pointerup" && t && !t.hasMoved && t.cell && this.actions.mode() !== "paint" && this.actions.pin(t.cell);
	};
	wheel = (e) => {
		let { x: t, y: n, layout: r } = this.#n(e);
		r && (e.ctrlKey || e.metaKey) && (e.preventDefault(), this.actions.look(xi(r, Math.exp(-e.deltaY / 200), t, n)));
	};
};
function Ri(e) {
	let t = e.currentTarget;
	t.hasPointerCapture(e.pointerId) || t.setPointerCapture(e.pointerId);
}
// web/elements/heatmap-style.js
var zi = o`
  :host {
    inline-size: max-content;
  }
  .map {
    position: relative;
    overflow: hidden;
    cursor: crosshair;
    touch-action: pan-x pan-y;
    user-select: none;
    -webkit-user-select: none;
  }
  .map[data-mode='paint'],
  .map[data-zoomed] {
    touch-action: none;
  }
  .map[data-mode='edit'] {
    cursor: ew-resize;
    touch-action: pan-y;
  }
  .map:focus-visible {
    outline-offset: 0;
  }
  input {
    position: absolute;
    box-sizing: border-box;
    min-inline-size: 4.5rem;
    min-block-size: 1.5rem;
    padding: 0 0.25rem;
    border: 2px solid var(--qkv-mark, CanvasText);
    border-radius: 3px;
    background: var(--qkv-paper, Canvas);
    color: inherit;
    font: inherit;
    text-align: center;
  }
  .table {
    overflow: auto;
    max-block-size: 32rem;
  }
  table {
    border-collapse: collapse;
  }
  caption {
    padding: 0.25rem 0;
    text-align: start;
  }
  th,
  td {
    padding: 0.125rem 0.5rem;
    border: 1px solid var(--qkv-rule, light-dark(#d4d4ce, #393c41));
    text-align: end;
    white-space: nowrap;
  }
  th {
    max-inline-size: 12rem;
    overflow: hidden;
    text-overflow: ellipsis;
    font-weight: 500;
  }
`;
// web/elements/model.js
function Bi(e, t) {
	let n = Z(e.matrix, 2), r = e.minus === void 0 ? n : zr(n, Z(e.minus, 2)), i = Br(r, e.mask === void 0 ? void 0 : Z(e.mask, 2)), a = e.ghost === void 0 ? void 0 : Z(e.ghost, 2), o = e.scale ?? (e.minus === void 0 ? "sequential" : "diverging"), s = Vr(r, i), { data: c, dims: l } = r;
	return {
		data: c,
		dims: l,
		isHidden: i,
		range: s,
		scale: o,
		domain: e.domain ?? Hr(o, s),
		rowTokens: e.rowTokens ?? [],
		columnTokens: e.columnTokens ?? [],
		decimals: e.decimals,
		legend: e.legend,
		...t,
		ghost: a?.dims.join() === l.join() ? a.data : void 0
	};
}
function Vi({ rows: e, columns: t, page: n, label: r, say: i, name: a, value: o, turn: s }) {
	let c = (e, t) => Math.max(Math.min(24, t - e), 0), l = Array.from({ length: c(n.column, t) }, (e, t) => n.column + t), u = Array.from({ length: c(n.row, e) }, (e, t) => n.row + t), d = e > 24 || t > 24, f = i("zoomed", {
		rows: e,
		columns: t,
		firstRow: n.row + 1,
		lastRow: n.row + u.length,
		firstColumn: n.column + 1,
		lastColumn: n.column + l.length
	}), p = (n, r, a) => {
		let o = a.row >= 0 && a.column >= 0 && a.row < e && a.column < t;
		return A`<button type="button" aria-label=${i(n)} title=${i(n)} ?disabled=${!o} @click=${() => s(a)}>${r}</button>`;
	}, { row: m, column: h } = n;
	return A`<table>
      <caption>${r}${d ? A`<br />${f}` : j}</caption>
      <thead>
        <tr>
          <td></td>
          ${l.map((e) => A`<th scope="col">${a("column", e)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${u.map((e) => A`<tr>
              <th scope="row">${a("row", e)}</th>
              ${l.map((t) => A`<td>${o({
		row: e,
		column: t
	})}</td>`)}
            </tr>`)}
      </tbody>
    </table>
    ${d ? A`<div class="tools">
            ${p("previousRows", "↑", {
		row: m - 24,
		column: h
	})}
            ${p("nextRows", "↓", {
		row: m + 24,
		column: h
	})}
            ${p("previousColumns", "←", {
		row: m,
		column: h - 24
	})}
            ${p("nextColumns", "→", {
		row: m,
		column: h + 24
	})}
          </div>` : j}`;
}
// web/elements/heatmap.js
var Hi = [
	"matrix",
	"minus",
	"mask",
	"ghost",
	"scale",
	"domain",
	"rowTokens",
	"columnTokens",
	"rowTitle",
	"columnTitle",
	"texts",
	"decimals",
	"legend"
], Ui = class extends Jr {
	static styles = [Kr, zi];
	static properties = {
		matrix: { attribute: !1 },
		minus: { attribute: !1 },
		mask: { attribute: !1 },
		ghost: { attribute: !1 },
		rowTokens: { attribute: !1 },
		columnTokens: { attribute: !1 },
		scale: {},
		domain: { attribute: !1 },
		rowTitle: { attribute: "row-title" },
		columnTitle: { attribute: "column-title" },
		decimals: { type: Number },
		mode: {},
		cell: { attribute: !1 },
		pinned: { attribute: !1 },
		highlight: { attribute: !1 },
		legend: { type: Boolean },
		tools: { type: Boolean },
		asTable: {
			type: Boolean,
			attribute: "as-table"
		},
		view: { state: !0 },
		page: { state: !0 },
		editing: { state: !0 }
	};
	constructor() {
		super(), this.matrix = void 0, this.minus = void 0, this.mask = void 0, this.ghost = void 0, this.rowTokens = [], this.columnTokens = [], this.scale = void 0, this.domain = void 0, this.rowTitle = void 0, this.columnTitle = void 0, this.decimals = 4, this.mode = "read", this.cell = void 0, this.pinned = void 0, this.highlight = void 0, this.legend = !0, this.tools = !0, this.asTable = !1, this.view = ui, this.page = {
			row: 0,
			column: 0
		}, this.editing = void 0;
	}
	#e = void 0;
	#t = void 0;
	#n = void 0;
	#r = void 0;
	#i = !1;
	#a = 0;
	#o = !1;
	#s = "";
	#c = new Li({
		layout: () => this.#n,
		mode: () => this.mode,
		look: (e) => this.#v(e),
		point: (e) => this.#m(e),
		pin: (e) => this.#h(e),
		paint: (e, t) => this.#g(e, t),
		scrub: (e, t, n, r) => {
			r && (this.#a = this.#u(e));
			let [i, a] = this.#e?.domain ?? [0, 1], o = this.#a + t * (a - i) / 200 * (n ? .1 : 1);
			this.#_(e, Number(o.toFixed(this.decimals)), r);
		}
	});
	willUpdate(e) {
		Hi.some((t) => e.has(t)) && this.#l();
		let t = this.#e;
		if (!t) return;
		let [n, r] = t.dims;
		if (this.cell && (this.cell.row >= n || this.cell.column >= r) && (this.cell = void 0), (this.page.row >= n || this.page.column >= r) && (this.page = {
			row: 0,
			column: 0
		}), !this.hasUpdated || e.has("matrix") === !1) return;
		let i = e.get("matrix");
		i && String(i.dims ?? i.shape) !== String(this.matrix?.dims ?? this.matrix?.shape) && (this.view = ui);
	}
	#l() {
		if (this.#e = this.#t = this.#r = void 0, this.matrix !== void 0) try {
			this.#e = Bi(this, {
				rowTitle: this.rowTitle ?? this.say("queries"),
				columnTitle: this.columnTitle ?? this.say("keys"),
				hiddenWord: this.say("hidden")
			});
		} catch (e) {
			this.#t = e;
		}
	}
	#u({ row: e, column: t }) {
		return this.#e ? this.#e.data[e * this.#e.dims[1] + t] : NaN;
	}
	#d({ row: e, column: t }) {
		return this.#e?.isHidden(e * this.#e.dims[1] + t) ?? !1;
	}
	#f(e, t) {
		let n = (e === "row" ? this.rowTokens : this.columnTokens)?.[t];
		return n === void 0 ? this.say(e, { index: t + 1 }) : Fn(n);
	}
	describe(e) {
		let t = this.#u(e), n = Number.isNaN(t) ? this.say("nan") : t === Infinity ? this.say("infinity") : Q(t, this.decimals), r = t === -Infinity ? this.say("hidden") : this.say("hiddenValue", { value: n });
		return this.say("cell", {
			row: this.#f("row", e.row),
			column: this.#f("column", e.column),
			value: this.#d(e) ? r : n
		});
	}
	#p(e, t, n) {
		let r = {
			row: t.row,
			column: t.column,
			value: this.#u(t),
			...n
		};
		this.dispatchEvent(new CustomEvent(e, {
			detail: r,
			bubbles: !0,
			composed: !0
		}));
	}
	#m(e) {
		(this.cell?.row !== e.row || this.cell.column !== e.column) && (this.cell = e, this.#p("cell-focus", e));
	}
	#h(e) {
		this.#s = this.say("kept", { cell: this.describe(e) }), this.requestUpdate(), this.#p("cell-pin", e);
	}
	#g(e, t) {
		t && (this.#i = !this.#d(e)), this.#m(e), this.#p("cell-paint", e, {
			hide: this.#i,
			isFirst: t
		});
	}
	#_(e, t, n) {
		this.#p("cell-edit", e, {
			value: t,
			old: this.#u(e),
			isFirst: n
		});
	}
	#v(e) {
		this.view = e;
	}
	#y(e) {
		let t = this.#n;
		if (!t) return;
		let { plot: n } = t;
		if (this.#v(e === 0 ? ui : xi(t, e, n.left + n.width / 2, n.top + n.height / 2)), !this.cell || e <= 1) return;
		let r = this.#E(this.view);
		r && this.#v(Ci(r, this.cell));
	}
	#b = (e) => {
		let t = this.#e;
		if (!t || t.data.length === 0 || e.altKey) return;
		let n = this.cell ?? {
			row: 0,
			column: 0
		}, r = wi(e, n, t.dims[0], t.dims[1]), i = !e.ctrlKey && !e.metaKey;
		if (r) this.#m(r), this.#n && this.#v(Ci(this.#n, r)), this.mode === "paint" && e.shiftKey && this.#p("cell-paint", r, {
			hide: this.#i,
			isFirst: !1
		});
		else if (e.key === " " && this.mode === "paint") this.#g(n, !0);
		else if (this.mode === "edit" && i && (e.key === "F2" || /^[\d.-]$/.test(e.key))) this.editing = e.key === "F2" ? Q(this.#u(n), this.decimals).replace("−", "-") : e.key;
		else if (e.key === "Enter" || e.key === " ") this.#h(n);
		else if (i && (e.key === "+" || e.key === "=")) this.#y(1.5);
		else if (i && e.key === "-") this.#y(1 / 1.5);
		else if (i && e.key === "0") this.#y(0);
		else return;
		e.preventDefault();
	};
	#x = (e) => {
		if (e.stopPropagation(), e.key !== "Enter" && e.key !== "Escape") return;
		e.preventDefault();
		let t = Number(e.currentTarget.value.trim().replace(",", ".").replace("−", "-") || NaN);
		this.editing = void 0, this.#S?.focus(), e.key === "Enter" && !Number.isNaN(t) && this.cell && this.#_(this.cell, t, !0);
	};
	get #S() {
		return this.renderRoot.querySelector(".map");
	}
	#C(e) {
		this.#o = e, e && this.mode !== "read" && !this.cell && this.#e?.data.length && this.#m({
			row: 0,
			column: 0
		}), e && !this.cell && this.#e?.data.length && this.#m({
			row: 0,
			column: 0
		}), this.requestUpdate();
	}
	#w(e, t, n) {
		let { fontSize: r, family: i } = this.look, a = `400 ${Math.min(r, 12)}px ${i}`, o = (e) => e.reduce((e, t) => Math.max(e, J(Fn(t).slice(0, 60), a)), 0), { least: s, most: c } = e.range, l = [s, c].map((t) => J(Q(t, e.decimals), `400 ${r}px ${i}`)), u = {
			rows: e.dims[0],
			columns: e.dims[1],
			width: t,
			view: n,
			fontSize: r,
			legend: e.legend,
			most: Math.ceil(Math.max(...l, 20)) + 8,
			mostHeight: this.#T("--qkv-height", 560),
			rowLabel: o(e.rowTokens.slice(0, e.dims[0])),
			columnLabel: o(e.columnTokens.slice(0, e.dims[1])),
			titles: !!(e.rowTitle || e.columnTitle)
		};
		return {
			wanted: u,
			layout: gi(u)
		};
	}
	#T(e, t) {
		return Number.parseFloat(getComputedStyle(this).getPropertyValue(e)) || t;
	}
	#E(e) {
		return this.#e && this.#w(this.#e, this.room, e).layout;
	}
	updated(e) {
		super.updated(e);
		let t = this.#e, n = this.renderRoot.querySelector("canvas"), r = this.renderRoot.querySelector(".size"), i = this.renderRoot.querySelector("input");
		if (!t || !n || !r) return;
		let { wanted: a } = this.#w(t, this.room), o = Math.max(_i(a), 96);
		r.style.inlineSize === `${o}px` && this.room || (r.style.inlineSize = `${o}px`, this.measure(r));
		let s = this.#w(t, this.room, this.view).layout;
		this.#n = s;
		let c = this.pen(n, Math.max(s.width, Math.min(this.room, 96)), s.height);
		if (c && this.#D(c, t, s, devicePixelRatio || 1), !i || !this.cell) return;
		let { plot: l, cellWidth: u, cellHeight: d, view: f } = s;
		i.style.left = `${l.left + (this.cell.column - f.column) * u}px`, i.style.top = `${l.top + (this.cell.row - f.row) * d}px`, this.renderRoot instanceof ShadowRoot && this.renderRoot.activeElement !== i && i.focus();
	}
	#D(e, t, n, r, i = !1) {
		let a = bi(n), o = a.rows * a.columns > Ei, s = i ? {
			pinned: this.pinned,
			highlight: this.highlight
		} : {
			focus: this.cell,
			isFocused: this.#o,
			pinned: this.pinned,
			highlight: this.highlight
		};
		Di(e, t, n, this.look, s, o ? this.#O(t, n, r) : void 0);
	}
	#O(e, t, n) {
		let r = bi(t), i = Math.max(1, Math.min(r.columns, Math.round(r.columns * t.cellWidth * n))), a = Math.max(1, Math.min(r.rows, Math.round(r.rows * t.cellHeight * n))), o = [
			...Object.values(r),
			i,
			a,
			this.look.isDark
		].join();
		return this.#r?.key !== o && (this.#r = {
			key: o,
			canvas: $r(Qr(e, this.look.isDark, r, i, a))
		}), this.#r.canvas;
	}
	picture() {
		let e = this.#e;
		if (!e) return {
			width: 96,
			height: 24,
			draw: () => {}
		};
		let t = this.#w(e, this.room || 640).layout, n = e.data.length > Ei;
		return {
			width: t.width,
			height: t.height,
			description: n ? this.say("asImage", {
				rows: e.dims[0],
				columns: e.dims[1]
			}) : void 0,
			draw: (n) => {
				this.#D(n, e, t, "context" in n ? 2 : Infinity, !0), this.#r = void 0;
			}
		};
	}
	render() {
		let e = this.#e;
		if (this.#t) return [this.probe, this.problem(this.#t)];
		if (!e || e.data.length === 0) return [this.probe, A`<p class="quiet" part="empty">${this.say("empty")}</p>`];
		let [t, n] = e.dims, r = this.label ? this.say("ofMap", {
			label: this.label,
			rows: t,
			columns: n
		}) : this.say("map", {
			rows: t,
			columns: n
		});
		return A`${this.probe}
      ${this.asTable ? A`<div class="table size" role="region" tabindex="0" aria-label=${r}>${this.#j(e, r)}</div>` : this.#k(e, r)}
      <div class="unseen" role="status">${this.#s}</div>
      ${this.tools ? this.#A(e) : j}`;
	}
	#k({ dims: [e, t] }, n) {
		let r = this.cell ?? {
			row: 0,
			column: 0
		}, i = `cell-${r.row}-${r.column}`, a = this.say(this.mode === "paint" ? "helpPaint" : this.mode === "edit" ? "helpEdit" : "help"), { down: o, move: s, up: c, wheel: l } = this.#c;
		return A`<div class="size" part="map">
      <div
        class="map"
        role="grid"
        tabindex="0"
        data-mode=${this.mode}
        ?data-zoomed=${this.view.zoom > 1}
        aria-label=${n}
        aria-describedby="help"
        aria-rowcount=${e}
        aria-colcount=${t}
        aria-readonly=${this.mode === "read"}
        aria-activedescendant=${i}
        @keydown=${this.#b}
        @focus=${() => this.#C(!0)}
        @blur=${() => this.#C(!1)}
        @pointerdown=${o}
        @pointermove=${s}
        @pointerup=${c}
        @pointercancel=${c}
        @wheel=${l}
        @dblclick=${() => {
			this.mode === "edit" && this.cell && (this.editing = Q(this.#u(this.cell), this.decimals).replace("−", "-"));
		}}
      >
        <canvas aria-hidden="true"></canvas>
        <div class="unseen" role="row" aria-rowindex=${r.row + 1}>
          ${li(i, A`<div role="gridcell" id=${i} aria-colindex=${r.column + 1} aria-selected=${this.pinned?.row === r.row && this.pinned.column === r.column}>${this.describe(r)}</div>`)}
        </div>
      </div>
      ${this.editing === void 0 ? j : A`<input
              type="text"
              inputmode="decimal"
              aria-label=${this.say("edit", {
			row: this.#f("row", r.row),
			column: this.#f("column", r.column)
		})}
              .value=${this.editing}
              @keydown=${this.#x}
              @blur=${() => {
			this.editing = void 0;
		}}
            />`}
      <div class="unseen" id="help">${a}</div>
    </div>`;
	}
	#A({ dims: e }) {
		let t = (e, t, n, r = !1) => A`<button type="button" aria-label=${t} title=${t} ?disabled=${r} @click=${n}>${e}</button>`, n = this.view.zoom === 1 && e[0] * e[1] <= 144;
		return A`<div class="tools" part="tools">
      ${this.asTable || n ? j : [
			t("−", this.say("zoomOut"), () => this.#y(1 / 1.5), this.view.zoom <= 1),
			t("+", this.say("zoomIn"), () => this.#y(1.5)),
			t("⤢", this.say("zoomAll"), () => this.#y(0), this.view.zoom <= 1)
		]}
      <button type="button" aria-pressed=${this.asTable} @click=${() => {
			this.asTable = !this.asTable;
		}}>${this.say("asTable")}</button>
    </div>`;
	}
	#j(e, t) {
		return Vi({
			rows: e.dims[0],
			columns: e.dims[1],
			page: this.page,
			label: t,
			say: (e, t) => this.say(e, t),
			name: (e, t) => this.#f(e, t),
			value: (e) => {
				let t = this.#u(e), n = Number.isNaN(t) ? this.say("nan") : Q(t, this.decimals);
				return this.#d(e) ? t === -Infinity ? this.say("hidden") : this.say("hiddenValue", { value: n }) : n;
			},
			turn: (e) => {
				this.page = e;
			}
		});
	}
}, Wi = 4096;
function Gi(e, [t, n], r, i, a) {
	let o = 0;
	for (let i = 0; i < t * n; i++) e[i] > o && e[i] < Infinity && !r(i) && (o = e[i]);
	let s = i, c = /* @__PURE__ */ new Uint32Array(4097), l = (e) => Math.min(Math.floor(e / o * Wi), Wi);
	for (let a = 0; a < t * n; a++) e[a] > 0 && e[a] >= i && !r(a) && c[l(e[a])]++;
	let u = 0;
	for (let e = Wi; e >= 0; e--) if (u += c[e], !(u <= a)) {
		s = Math.max(i, (e + 1) / Wi * o);
		break;
	}
	let d = [];
	for (let i = 0; i < t * n; i++) e[i] > 0 && e[i] >= s && !r(i) && d.push({
		row: Math.floor(i / n),
		column: i % n,
		weight: e[i]
	});
	return {
		links: d.sort((e, t) => e.weight - t.weight),
		least: s
	};
}
function Ki(e, [t, n], r, i, a) {
	let o = i === "row" ? n : t, s = [];
	for (let t = 0; t < o; t++) {
		let [o, c] = i === "row" ? [a, t] : [t, a], l = o * n + c;
		e[l] > 0 && !r(l) && s.push({
			row: o,
			column: c,
			weight: e[l]
		});
	}
	return s.sort((e, t) => t.weight - e.weight);
}
// web/elements/lines.js
var qi = 1500, Ji = 22, Yi = 5, Xi = class extends Jr {
	static styles = [Kr, o`
      .scroll {
        position: relative;
        overflow-y: auto;
        overflow-x: hidden;
        max-block-size: var(--qkv-height, 35rem);
        cursor: default;
      }
      canvas {
        position: sticky;
        inset-block-start: 0;
      }
    `];
	static properties = {
		weights: { attribute: !1 },
		mask: { attribute: !1 },
		queryTokens: { attribute: !1 },
		keyTokens: { attribute: !1 },
		threshold: { type: Number },
		decimals: { type: Number },
		token: { attribute: !1 }
	};
	constructor() {
		super(), this.weights = void 0, this.mask = void 0, this.queryTokens = [], this.keyTokens = [], this.threshold = .01, this.decimals = 2, this.token = void 0;
	}
	#e = void 0;
	#t = void 0;
	#n = !1;
	willUpdate(e) {
		if (![
			"weights",
			"mask",
			"threshold"
		].some((t) => e.has(t)) || (this.#e = this.#t = void 0, this.weights === void 0)) return;
		try {
			let e = Z(this.weights, 2), t = Br(e, this.mask === void 0 ? void 0 : Z(this.mask, 2)), { data: n, dims: r } = e;
			this.#e = {
				data: n,
				dims: r,
				isHidden: t,
				...Gi(n, r, t, this.threshold, qi)
			};
		} catch (e) {
			this.#t = e;
		}
		let [t, n] = this.#e?.dims ?? [0, 0];
		this.token && this.token.index >= (this.token.side === "row" ? t : n) && (this.token = void 0);
	}
	#r({ side: e, index: t }) {
		let n = (e === "row" ? this.queryTokens : this.keyTokens)?.[t];
		return n === void 0 ? this.say(e, { index: t + 1 }) : Fn(n);
	}
	arrange(e) {
		let [t, n] = this.#e?.dims ?? [0, 0], { fontSize: r, family: i } = this.look, a = `400 ${r}px ${i}`, o = Math.max(40, Math.min(160, e * .3)), s = (e, t) => {
			let n = 0;
			for (let r = 0; r < t && n < o; r++) n = Math.max(n, J(this.#r({
				side: e,
				index: r
			}).slice(0, 60), a));
			return Math.min(Math.ceil(n), o);
		}, c = Math.ceil(r * 1.7), [l, u] = [s("row", t) + 8, s("column", n) + 8];
		return {
			rows: t,
			columns: n,
			line: c,
			left: l,
			right: u,
			width: Math.min(e, l + u + 320),
			height: Ji + Math.max(t, n) * c + 4,
			fontSize: r
		};
	}
	#i = ({ line: e }, t) => Ji + (t + .5) * e;
	#a(e, t, n, r) {
		let i = this.#e;
		if (!i) return;
		let { left: a, right: o, width: s, line: c, rows: l, columns: u, fontSize: d } = t, { ink: f, quiet: p, mark: m, isDark: h } = this.look, g = On("sequential", h).colours[h ? 190 : 205], [_, v] = [a + 2, s - o - 2], y = (e) => this.#i(t, e) - n, b = (e, t) => Math.max(y(e), y(t)) > -c && Math.min(y(e), y(t)) < r + c, x = this.token, S = x && Ki(i.data, i.dims, i.isHidden, x.side, x.index);
		for (let { row: t, column: n, weight: r } of i.links) if (b(t, n)) {
			let i = Math.min(r, 1), a = S ? .04 + .06 * i : .12 + .88 * i;
			e.link(_, y(t), v, y(n), {
				stroke: g,
				opacity: a,
				width: .5 + 5 * i
			});
		}
		for (let { row: t, column: n, weight: r } of S ?? []) if (b(t, n)) {
			let i = Math.min(r, 1);
			e.link(_, y(t), v, y(n), {
				stroke: g,
				opacity: .25 + .75 * i,
				width: 1 + 6 * i
			});
		}
		let C = new Map(S?.map((e) => [x?.side === "row" ? e.column : e.row, e.weight])), w = (t, n) => {
			let r = x?.side === t && x.index === n, i = x && x.side !== t ? C.get(n) : void 0, l = {
				size: d,
				fill: r || i !== void 0 || !x ? f : p,
				weight: r ? 650 : 400
			}, u = y(n);
			if (t === "row" ? e.text(this.#r({
				side: t,
				index: n
			}), a - 4, u, {
				...l,
				align: "right",
				most: a - 8
			}) : e.text(this.#r({
				side: t,
				index: n
			}), s - o + 4, u, {
				...l,
				most: o - 8
			}), r && this.#n) {
				let n = t === "row" ? 1 : s - o + 1;
				e.frame(n, u - c / 2 + 1, (t === "row" ? a : o) - 2, c - 2, {
					stroke: m,
					width: 2
				});
			}
		}, T = Math.max(Math.floor((n - Ji) / c), 0), E = Math.ceil((n + r - Ji) / c);
		for (let e = T; e < Math.min(E, l); e++) w("row", e);
		for (let e = T; e < Math.min(E, u); e++) w("column", e);
		if (n > Ji) return;
		let ee = {
			size: 11,
			fill: p
		};
		e.text(this.say("queries"), a - 4, 8 - n, {
			...ee,
			align: "right"
		}), e.text(this.say("keys"), s - o + 4, 8 - n, ee);
	}
	#o = () => {
		let e = this.renderRoot.querySelector(".scroll"), t = this.renderRoot.querySelector("canvas");
		if (!e || !t) return;
		let n = this.arrange(this.room), r = Math.min(e.clientHeight || n.height, n.height), i = this.pen(t, n.width, r);
		i && this.#a(i, n, e.scrollTop, r);
	};
	updated(e) {
		super.updated(e);
		let t = this.renderRoot.querySelector(".spacer"), n = this.renderRoot.querySelector(".size");
		t && n && (this.room || this.measure(n), t.style.height = `${this.arrange(this.room).height}px`, this.#o());
	}
	#s(e) {
		let t = this.renderRoot.querySelector("canvas"), n = this.renderRoot.querySelector(".scroll");
		if (!t || !n) return;
		let { left: r, top: i } = t.getBoundingClientRect(), a = this.arrange(this.room), o = Math.floor((e.clientY - i + n.scrollTop - Ji) / a.line), s = e.clientX - r < a.width / 2 ? "row" : "column";
		return o >= 0 && o < a[s === "row" ? "rows" : "columns"] ? {
			side: s,
			index: o
		} : void 0;
	}
	#c = (e) => {
		(e?.side !== this.token?.side || e?.index !== this.token?.index) && (this.token = e, this.dispatchEvent(new CustomEvent("token-focus", {
			detail: e,
			bubbles: !0,
			composed: !0
		})));
	};
	#l = (e) => {
		let [t, n] = this.#e?.dims ?? [0, 0], { side: r, index: i } = this.token ?? {
			side: "row",
			index: 0
		}, a = r === "row" ? t : n, o = (e) => ({
			side: r,
			index: Math.min(Math.max(e, 0), a - 1)
		}), s = (e) => ({
			side: e,
			index: Math.min(i, (e === "row" ? t : n) - 1)
		}), c = {
			ArrowUp: () => o(i - 1),
			ArrowDown: () => o(i + 1),
			PageUp: () => o(i - 10),
			PageDown: () => o(i + 10),
			Home: () => o(0),
			End: () => o(a - 1),
			ArrowLeft: () => s("row"),
			ArrowRight: () => s("column")
		}[e.key]?.();
		if (e.key === "Escape" && this.#c(void 0), !c) return;
		e.preventDefault(), this.#c(c);
		let l = this.renderRoot.querySelector(".scroll");
		if (!l) return;
		let [u, { line: d }] = [this.#i(this.arrange(this.room), c.index), this.arrange(this.room)];
		u - d < l.scrollTop ? l.scrollTop = u - d - Ji : u + d > l.scrollTop + l.clientHeight && (l.scrollTop = u + d - l.clientHeight);
	};
	describe(e) {
		if (!this.#e) return "";
		let { data: t, dims: n, isHidden: r } = this.#e, i = e.side === "row" ? "column" : "row", a = Ki(t, n, r, e.side, e.index).slice(0, Yi).map((e) => `${this.#r({
			side: i,
			index: e[i]
		})} ${Q(e.weight, this.decimals)}`);
		return this.say(e.side === "row" ? "linksOf" : "linksTo", {
			token: this.#r(e),
			links: a.join(", ") || this.say("noLinks")
		});
	}
	picture() {
		let e = this.arrange(this.room || 480);
		return {
			width: e.width,
			height: e.height,
			draw: (t) => this.#a(t, e, 0, e.height)
		};
	}
	render() {
		let e = this.#e;
		if (this.#t) return [this.probe, this.problem(this.#t)];
		if (!e || e.data.length === 0) return [this.probe, A`<p class="quiet" part="empty">${this.say("empty")}</p>`];
		let t = this.token ?? {
			side: "row",
			index: 0
		}, n = `token-${t.side}-${t.index}`;
		return A`${this.probe}
      <div class="size" part="lines">
        <div
          class="scroll"
          role="listbox"
          tabindex="0"
          aria-label=${this.label || this.say("links")}
          aria-activedescendant=${n}
          @keydown=${this.#l}
          @scroll=${this.#o}
          @focus=${() => {
			this.#n = !0, this.token || this.#c(t), this.requestUpdate();
		}}
          @blur=${() => {
			this.#n = !1, this.requestUpdate();
		}}
          @pointermove=${(e) => this.#c(this.#s(e))}
          @pointerdown=${(e) => this.#c(this.#s(e))}
          @pointerleave=${() => this.#n || this.#c(void 0)}
        >
          <div class="spacer"><canvas aria-hidden="true"></canvas></div>
          ${li(n, A`<div
              class="unseen"
              role="option"
              id=${n}
              aria-selected="true"
              aria-posinset=${t.index + 1}
              aria-setsize=${e.dims[t.side === "row" ? 0 : 1]}
            >${this.describe(t)}</div>`)}
        </div>
      </div>
      ${e.least > this.threshold || e.links.length === 0 ? A`<p class="quiet">${this.say("threshold", { value: Xr(e.least) })}</p>` : j}`;
	}
}, Zi = {
	queries: "BHLa",
	keys: "BGSa",
	scores: "BHLS",
	scaled: "BHLS",
	capped: "BHLS",
	masked: "BHLS",
	maxima: "BHL",
	exponentials: "BHLS",
	sums: "BHL",
	unmasked: "BHLS",
	zeroed: "BHLS",
	zeroedSums: "BHL",
	weights: "BHLS",
	dropped: "BHLS",
	output: "BHLe"
}, Qi = /* @__PURE__ */ new Set([
	"exponentials",
	"unmasked",
	"zeroed",
	"weights",
	"dropped"
]), $i = ({ dims: e, shape: t }) => Array.from(e ?? t ?? []);
function ea(e) {
	if (Array.isArray(e?.steps)) return [...e.steps];
	let t = e ?? {}, n = [];
	for (let [e, r] of Object.entries(Zi)) {
		let i = t[e];
		if (!i) continue;
		let a = $i(i).length, { scores: o } = t, s = r === "BHL" && o && $i(i).at(-1) !== $i(o).at(-2);
		n.push({
			name: e,
			axes: (s ? "BHS" : r).slice(r.length - a),
			tensor: i
		});
	}
	return n;
}
var ta = ({ name: e }) => Qi.has(e) ? "sequential" : "diverging";
function na(e) {
	let t = e.map(({ axes: e, tensor: t }) => e.includes("H") ? $i(t)[e.indexOf("H")] : 1);
	return Math.max(1, ...t.filter(Number.isFinite));
}
function ra({ axes: e, tensor: t }, n, r, i) {
	let { data: a, dims: o } = Z(t, e.length), [s, c, l] = [
		e,
		o,
		0
	], u = (e) => {
		let [t, ...n] = c;
		l = l * t + Math.min(Math.max(e, 0), t - 1), c = n, s = s.slice(1);
	};
	for (s.startsWith("B") && u(n), s.startsWith("H") ? u(r) : s.startsWith("G") && u(Math.floor(r * c[0] / i)); c.length > 3;) u(0);
	c.length === 3 && (c = [c[0], c[1] * c[2]], s = s[0] + s.slice(1)), c.length === 1 && ([c, s] = s[0] === "S" ? [[1, c[0]], `1${s}`] : [[c[0], 1], `${s}1`]);
	let d = c[0] * c[1];
	return {
		data: Ur(a, l, d),
		dims: [c[0], c[1]],
		rowAxis: s[0],
		columnAxis: s.slice(1)
	};
}
// web/elements/trace.js
var ia = class extends Jr {
	static styles = [Kr, o`
      .steps {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
        margin-block-end: 0.5rem;
      }
      [role='tab'] {
        min-block-size: 1.75rem;
        padding: 0 0.5rem;
        border: 1px solid transparent;
        border-radius: 4px;
        background: none;
        color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
        cursor: pointer;
      }
      [role='tab'][aria-selected='true'] {
        border-color: currentColor;
        color: var(--qkv-ink, CanvasText);
      }
      qkv-heads {
        margin-block-end: 0.75rem;
      }
    `];
	static properties = {
		trace: { attribute: !1 },
		queryTokens: { attribute: !1 },
		keyTokens: { attribute: !1 },
		step: {},
		head: { type: Number },
		batch: { type: Number },
		decimals: { type: Number }
	};
	constructor() {
		super(), this.trace = void 0, this.queryTokens = [], this.keyTokens = void 0, this.step = void 0, this.head = 0, this.batch = 0, this.decimals = 4;
	}
	#e = void 0;
	get #t() {
		return this.trace ? ea(this.trace) : [];
	}
	#n(e) {
		let t = e.findIndex(({ name: e }) => e === (this.step ?? "weights"));
		return t < 0 ? e.length - 1 : t;
	}
	#r(e) {
		e !== this.step && (this.step = e, this.dispatchEvent(new CustomEvent("step-select", {
			detail: { step: e },
			bubbles: !0,
			composed: !0
		})));
	}
	#i = (e) => {
		let t = this.#t, n = this.#n(t), r = t.length - 1, i = {
			ArrowRight: n + 1,
			ArrowLeft: n - 1,
			Home: 0,
			End: r
		}[e.key];
		if (i === void 0) return;
		e.preventDefault();
		let a = (i + t.length) % t.length;
		this.#r(t[a].name), this.updateComplete.then(() => this.renderRoot.querySelectorAll("[role=tab]")[a]?.focus());
	};
	#a(e) {
		return e === "L" ? this.say("queries") : e === "S" ? this.say("keys") : e === "1" ? "" : this.say("dimensions");
	}
	#o(e, t) {
		let n = e === "L" ? this.queryTokens : e === "S" ? this.keyTokens ?? this.queryTokens : [];
		return e === "1" ? [] : n?.length === t ? n : Array.from({ length: t }, (e, t) => String(t + 1));
	}
	get #s() {
		return this.renderRoot.querySelector("qkv-heatmap");
	}
	picture() {
		return this.#s?.picture() ?? {
			width: 96,
			height: 24,
			draw: () => {}
		};
	}
	#c(e) {
		let t = e.find(({ name: e, axes: t }) => e === "weights" && t.endsWith("HLS"));
		if (!t) return;
		if (this.#e?.tensor === t.tensor && this.#e.batch === this.batch) return this.#e.weights;
		let { data: n, dims: r } = Z(t.tensor, t.axes.length), i = r.slice(-3), a = i.reduce((e, t) => e * t, 1), o = {
			data: Ur(n, r.length > 3 ? Math.min(this.batch, r[0] - 1) : 0, a),
			dims: i
		};
		return this.#e = {
			tensor: t.tensor,
			batch: this.batch,
			weights: o
		}, o;
	}
	render() {
		let e = this.#t;
		if (!e.length) return [this.probe, A`<p class="quiet" part="empty">${this.say("empty")}</p>`];
		let t = this.#n(e), n = e[t], r = na(e), i, a;
		try {
			i = ra(n, this.batch, this.head, r), a = r > 1 ? this.#c(e) : void 0;
		} catch (e) {
			return [this.probe, this.problem(e)];
		}
		let o = Array.from(n.tensor.dims ?? n.tensor.shape ?? []).join(", ");
		return A`${this.probe}
      <div class="steps" role="tablist" aria-label=${this.say("steps")} @keydown=${this.#i}>
        ${e.map(({ name: e }, n) => A`<button
            type="button"
            role="tab"
            id="step-${n}"
            aria-selected=${n === t}
            aria-controls="panel"
            tabindex=${n === t ? 0 : -1}
            @click=${() => this.#r(e)}
          >${this.name(e)}</button>`)}
      </div>
      ${a ? A`<qkv-heads
              .weights=${a}
              .selected=${Math.min(this.head, r - 1)}
              .texts=${this.texts}
              .numbers=${!1}
              @head-select=${(e) => {
			this.head = e.detail.head;
		}}
            ></qkv-heads>` : j}
      <div id="panel" role="tabpanel" aria-labelledby="step-${t}">
        <p class="quiet">${this.say("shape", {
			name: this.name(n.name),
			dims: o
		})}</p>
        <qkv-heatmap
          .label=${this.label ? `${this.label}: ${this.name(n.name)}` : this.name(n.name)}
          .matrix=${i}
          .scale=${ta(n)}
          .rowTokens=${this.#o(i.rowAxis, i.dims[0])}
          .columnTokens=${this.#o(i.columnAxis, i.dims[1])}
          .rowTitle=${this.#a(i.rowAxis)}
          .columnTitle=${this.#a(i.columnAxis)}
          .decimals=${this.decimals}
          .texts=${this.texts}
        ></qkv-heatmap>
      </div>`;
	}
	name(e) {
		return this.texts?.[`step.${e}`] ?? e;
	}
}, aa = [
	["qkv-heatmap", Ui],
	["qkv-heads", ri],
	["qkv-lines", Xi],
	["qkv-trace", ia]
];
for (let [e, t] of aa) customElements.get(e) || customElements.define(e, t);
export { ri as QkvHeads, Ui as QkvHeatmap, Xi as QkvLines, ia as QkvTrace, ei as headStatistics, Wr as texts };
