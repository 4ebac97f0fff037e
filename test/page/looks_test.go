package page

import (
	"fmt"
	"testing"
)

var views = []struct{ name, hash string }{
	{"tree", "#/tree"}, {"jobs", "#/jobs"}, {"run", "#/run"}, {"keys", "#/keys"}, {"events", "#/events"}, {"minion", "#/minion/db-01?path=syndic-a/deep"},
}

// settled waits until a view is there and nothing in it is awaited.
func (b *tab) settled(name string) {
	b.t.Helper()
	b.true(fmt.Sprintf(`document.querySelector(".view-%s > *") && !document.querySelector(".view-%s .busy")`, name, name))
}

// In both schemes of colours texts stand out from their ground, as WCAG AA wants.
func TestSchemes(t *testing.T) {
	_, b := enter(t, "")
	grounds := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, v := range views {
			eval[bool](b, `(location.hash = `+quote(v.hash)+`, true)`)
			b.settled(v.name)
			grounds[eval[string](b, `getComputedStyle(document.body).backgroundColor`)] = true
			for _, low := range eval[[]string](b, contrasts) {
				t.Errorf("%s, %s: %s", scheme, v.name, low)
			}
		}
	}
	if len(grounds) != 2 {
		t.Errorf("the schemes have the grounds %v", grounds)
	}
	// The button goes over what the system prefers.
	b.press("button", "Theme")
	b.true(`document.documentElement.dataset.theme === "light"`)
	b.press("button", "Theme")
	b.true(`document.documentElement.dataset.theme === "dark"`)
	b.press("button", "Theme")
	b.true(`!document.documentElement.dataset.theme`)
}

// contrasts lists texts that stand out too little from their background.
const contrasts = `(() => {
	const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return c.startsWith("color(srgb") ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1] };
	const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
	const ground = (el) => { const all = []; for (let e = el; e; e = e.parentElement) all.push(parse(getComputedStyle(e).backgroundColor)); return all.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]) };
	const out = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const el = walk.currentNode.parentElement;
		const text = walk.currentNode.textContent.trim();
		if (!text || el.closest("svg, noscript, [hidden], [aria-hidden=true], :disabled, .visually-hidden, .skip") || !el.checkVisibility()) continue;
		const s = getComputedStyle(el);
		const g = ground(el);
		const [a, b] = [light(over(parse(s.color), g)), light(g)];
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		const large = parseFloat(s.fontSize) >= 24 || (parseFloat(s.fontSize) >= 18.66 && s.fontWeight >= 700);
		if (ratio < (large ? 3 : 4.5)) out.add(el.tagName + "." + el.className + " " + ratio.toFixed(2) + " " + text.slice(0, 40));
	}
	return [...out];
})()`

// On a phone nothing but what is meant to scrolls sideways.
func TestPhone(t *testing.T) {
	_, b := enter(t, "")
	b.size(360, 740)
	for _, v := range append(views[:len(views):len(views)], struct{ name, hash string }{"run", "#/run?tgt=*&fun=test.ping"}) {
		eval[bool](b, `(location.hash = `+quote(v.hash)+`, true)`)
		b.settled(v.name)
		if got := eval[[]string](b, `(() => {
			const d = document.scrollingElement;
			if (d.scrollWidth <= innerWidth) return [];
			return [d.scrollWidth + " of " + innerWidth].concat([...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map((e) => e.tagName + "." + e.className.baseVal + e.className));
		})()`); len(got) > 0 {
			t.Errorf("%s is wider than the screen: %v", v.hash, got)
		}
		for _, small := range eval[[]string](b, `[...document.querySelectorAll("button, nav a, input, select")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24 && e.type !== "checkbox").map((e) => e.outerHTML.slice(0, 80))`) {
			t.Errorf("%s: too small for a finger: %s", v.hash, small)
		}
	}
}
