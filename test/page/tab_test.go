package page

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// watching notes what the page must never do: break its own policy, or fail. It runs
// before any script of the page.
const watching = `window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sourceFile + ":" + e.lineNumber));
window.failures = [];
window.addEventListener("error", (e) => window.failures.push(String(e.message)));
window.addEventListener("unhandledrejection", (e) => window.failures.push(String(e.reason)));`

// tab is a page in a browser profile of its own.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// open opens an address in a new tab. What the page did against its policy, and errors that
// it did not expect, fail the test at its end, unless the test has asked for them itself.
func open(t *testing.T, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{t, ctx}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page said at the end:\n%s", eval[string](b, `document.body.innerText.slice(0, 3000)`))
		}
		for _, what := range []string{"violations", "failures"} {
			if got := eval[[]string](b, "window."+what); len(got) > 0 {
				t.Errorf("%s: %q", what, got)
			}
		}
		cancel()
	})
	b.must(chromedp.Do(ctx))
	b.size(1280, 800)
	_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watching})
	b.must(err)
	b.must(chromedp.Do(ctx, chromedp.Navigate(url)))
	return b
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// eval gives the value of an expression of JavaScript.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Errorf("%s: %v", expression, err)
	}
	return v
}

// until waits for a condition.
func (b *tab) until(what string, is func() bool) {
	b.t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-end.C:
			b.t.Fatalf("it did not come to be so: %s", what)
		}
	}
}

// true waits until an expression is true.
func (b *tab) true(expression string) {
	b.t.Helper()
	b.until(expression, func() bool {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		return err == nil && v
	})
}

// text waits until the page shows a text.
func (b *tab) text(text string) {
	b.t.Helper()
	b.true(fmt.Sprintf("document.body.innerText.includes(%s)", quote(text)))
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// element is one that a reader finds by its role and name.
type element struct {
	b    *tab
	id   cdp.BackendNodeID
	name string
}

// all gives the elements of a role whose name begins with a text, as a screen reader finds
// them.
func (b *tab) all(role, name string) (out []element) {
	b.t.Helper()
	doc, err := chromedp.Call(b.ctx, dom.GetDocument, dom.GetDocumentParams{})
	b.must(err)
	r, err := chromedp.Call(b.ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: doc.Root.BackendNodeID, Role: role})
	if err != nil {
		return nil // the document is being made anew
	}
	for _, n := range r.Nodes {
		got := ""
		if n.Name != nil {
			if err := json.Unmarshal([]byte(n.Name.Value), &got); err != nil {
				b.t.Fatal(err)
			}
		}
		if !n.Ignored && strings.HasPrefix(got, name) {
			out = append(out, element{b, n.BackendDOMNodeID, got})
		}
	}
	return out
}

// find waits for the one element of a role whose name is the text, or begins with it if
// no element has that name.
func (b *tab) find(role, name string) (e element) {
	b.t.Helper()
	found := 0
	b.until(fmt.Sprintf("there is one %s %q", role, name), func() bool {
		all := b.all(role, name)
		exact := all[:0:0]
		for _, e := range all {
			if e.name == name {
				exact = append(exact, e)
			}
		}
		if len(exact) > 0 {
			all = exact
		}
		if found = len(all); found == 1 {
			e = all[0]
		}
		return found == 1
	})
	return e
}

// call calls a function of JavaScript whose this is the element.
func call[T any](e element, function string) (T, error) {
	var zero T
	o, err := chromedp.Call(e.b.ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: e.id})
	if err != nil {
		return zero, err
	}
	return chromedp.Run(e.b.ctx, chromedp.CallFunctionOn[T](function, func(p *runtime.CallFunctionOnParams) {
		p.ObjectID = o.Object.ObjectID
	}))
}

func (e element) get(attribute string) string {
	v, err := call[*string](e, fmt.Sprintf("function () { return this.getAttribute(%s) }", quote(attribute)))
	if err != nil || v == nil {
		return ""
	}
	return *v
}

// press presses the element at its middle with the mouse, as a reader does.
func (b *tab) press(role, name string) {
	b.t.Helper()
	e := b.find(role, name)
	at, err := call[[]float64](e, `function () {
		this.scrollIntoView({ block: "center", inline: "center" });
		const r = this.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	}`)
	b.must(err)
	b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(at[0], at[1])))
}

// write puts a text into a field, by the keyboard.
func (b *tab) write(role, label, text string) {
	b.t.Helper()
	e := b.find(role, label)
	_, err := call[bool](e, `function () { this.focus(); this.select(); return true }`)
	b.must(err)
	if text == "" {
		b.keys("\b")
		return
	}
	_, err = chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text})
	b.must(err)
}

// choose chooses a value of a list.
func (b *tab) choose(label, value string) {
	b.t.Helper()
	_, err := call[bool](b.find("combobox", label), fmt.Sprintf(`function () {
		this.value = %s;
		this.dispatchEvent(new Event("input", { bubbles: true }));
		this.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	}`, quote(value)))
	b.must(err)
}

// keys presses keys, one after the other.
func (b *tab) keys(keys string) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// size makes the window so large.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
}

// scheme has the system prefer light or dark colours.
func (b *tab) scheme(name string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	b.must(err)
}

// node waits until the picture shows a node in a state.
func (b *tab) node(path, state string) {
	b.t.Helper()
	b.true(fmt.Sprintf(`document.querySelector('[role=treeitem][data-path="%s"]')?.dataset.state === %s`, path, quote(state)))
}

// logIn logs in by the form.
func (b *tab) logIn(user, password string) {
	b.t.Helper()
	b.write("textbox", "User", user)
	b.write("textbox", "Password", password)
	b.write("combobox", "Login by", "file")
	b.press("button", "Log in")
}
