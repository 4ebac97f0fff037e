package page

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The picture has each node by an accessible name, with its state and its minions.
func TestTree(t *testing.T) {
	_, b := enter(t, "")
	for name, path := range map[string]string{
		"top: up, 3 nodes, 6 minions, 6 up": "", "syndic-a: up, 1 node, 4 minions, 4 up": "syndic-a", "deep: up, 0 nodes, 2 minions, 2 up": "syndic-a/deep", "syndic-b: up, 0 nodes, 1 minion, 1 up": "syndic-b",
	} {
		e := b.find("treeitem", name)
		id, _, _ := strings.Cut(name, ":")
		if e.name != name || e.get("data-path") != path || e.get("data-id") != id || e.get("data-state") != "up" {
			t.Errorf("%s: %q %s %s %s", name, e.name, e.get("data-path"), e.get("data-id"), e.get("data-state"))
		}
	}
	b.text("All is well")
	b.press("treeitem", "deep:")
	b.true(`document.querySelector('[aria-label="Details"]').innerText.includes("db-02")`)
	b.true(`location.hash === "#/tree/syndic-a/deep"`)
	b.write("searchbox", "Search nodes and minions", "db-0")
	b.find("link", "db-01")
	b.press("link", "db-02")
	b.true(`location.hash.startsWith("#/minion/db-02")`)
	b.find("button", "Ping")
}

// A node that dies is down in the picture and among the problems, and comes back.
func TestNodeDies(t *testing.T) {
	w, b := enter(t, "")
	b.node("syndic-b", "up")
	mend := w.kill(t, "syndic-b")
	b.node("syndic-b", "down")
	b.find("treeitem", "syndic-b: down")
	b.true(`document.querySelector('[role=region][aria-label="Problems"]').innerText.includes("syndic-b")`)
	b.text("1 node not up")
	mend()
	b.node("syndic-b", "up")
	b.text("All is well")
}

// All of the tree can be done by the keyboard alone.
func TestKeyboard(t *testing.T) {
	_, b := enter(t, "")
	b.node("syndic-b", "up")
	at := `document.activeElement?.dataset?.path`
	for range 40 { // to the tree
		if eval[bool](b, `document.activeElement?.getAttribute("role") === "treeitem"`) {
			break
		}
		b.keys(kb.Tab)
	}
	b.true(at + ` === ""`)
	for _, step := range []struct{ key, path string }{
		{kb.ArrowDown, "syndic-a"},
		{kb.ArrowDown, "syndic-a/deep"},
		{kb.ArrowDown, "syndic-b"},
		{kb.ArrowUp, "syndic-a/deep"},
		{kb.ArrowLeft, "syndic-a"},
		{kb.End, "syndic-b"},
		{kb.Home, ""},
		{kb.ArrowRight, "syndic-a"},
		{kb.ArrowRight, "syndic-a/deep"},
	} {
		b.keys(step.key)
		b.true(at + " === " + quote(step.path))
	}
	b.keys(kb.Enter)
	b.true(`document.querySelector('[role=treeitem][aria-selected=true]').dataset.path === "syndic-a/deep"`)
	b.true(`document.querySelector('[aria-label="Details"]').innerText.includes("db-01")`)
	b.keys(kb.ArrowLeft) // to syndic-a
	b.keys(kb.ArrowLeft) // which folds
	b.true(`document.querySelector('[data-path="syndic-a"]').getAttribute("aria-expanded") === "false" && !document.querySelector('[data-path="syndic-a/deep"]')`)
	b.keys(kb.ArrowRight)
	b.node("syndic-a/deep", "up")
	// The one who is at the keyboard sees where that is.
	if !eval[bool](b, `(() => { const s = getComputedStyle(document.activeElement); const g = getComputedStyle(document.activeElement.firstElementChild);
		return s.outlineStyle !== "none" || s.stroke !== "none" || g.outlineStyle !== "none" || parseFloat(g.strokeWidth) > 1 })()`) {
		t.Error("the focus cannot be seen")
	}
}
