package page

import (
	"context"
	"strings"
	"testing"
)

// A job is looked at before it is sent, runs in all tiers, and is followed to its end.
func TestRun(t *testing.T) {
	_, b := enter(t, "#/run")
	b.write("textbox", "Target", "web-01,db-02")
	b.choose("Target type", "list")
	b.write("combobox", "Function", "test.arg")
	b.press("button", "Preview")
	b.text("2 minions match")
	b.write("textbox", "Target", "*")
	b.choose("Target type", "glob")
	b.write("textbox", "Arguments", "one\nname=2")
	b.press("button", "Preview")
	b.text("6 minions match")
	b.text("syndic-a/deep")
	b.press("button", "Run")
	b.true(`/^#\/job\/\d{20}/.test(location.hash)`)
	b.true(`document.querySelector('[aria-label="Account"]')?.dataset.complete === "true"`)
	for _, c := range []struct{ name, want string }{{"expected", "6"}, {"returned", "6"}, {"failed", "0"}, {"missing", "0"}, {"waiting", "0"}} {
		b.true(`document.querySelector('[data-count="` + c.name + `"]').innerText.trim() === "` + c.want + `"`)
	}
	b.press("tab", "JSON")
	b.text(`db-02:`)
	b.text(`"name": 2`)
	b.press("link", "Jobs")
	b.text("test.arg")
}

// From a job to a minion that did not answer, and what is known of it.
func TestMissing(t *testing.T) {
	w, b := enter(t, "#/run?tgt=*&fun=test.ping")
	mend := w.kill(t, "db-02")
	b.press("button", "Run")
	b.true(`document.querySelector('[aria-label="Account"]')?.dataset.complete === "true"`)
	b.true(`document.querySelector('[data-count="missing"]').innerText.trim() === "1"`)
	b.true(`document.querySelector('[aria-label="Account"] .badge').innerText.includes("1 missing")`)
	b.true(`(() => {
		const bar = document.querySelector('[role=progressbar][aria-label="Answered"]');
		const wide = (part) => bar.querySelector(".jobbar-" + part).getBoundingClientRect().width;
		return bar.getAttribute("aria-valuenow") === "5" && bar.getAttribute("aria-valuemax") === "6" && bar.getAttribute("aria-valuetext") === "5 of 6 answered, 1 missing" &&
			wide("missing") > 10 && wide("returned") < bar.getBoundingClientRect().width * 0.9 && wide("failed") + wide("waiting") === 0;
	})()`)
	b.true(`document.querySelector('[data-minion="db-02"]') !== null`)
	b.press("link", "db-02")
	b.true(`location.hash.startsWith("#/minion/db-02")`)
	b.text("syndic-a")
	b.text("not connected")
	mend()
	b.press("button", "Ping")
	b.text("It answered")
}

// Events are followed as they come, by their tags.
func TestEvents(t *testing.T) {
	w, b := enter(t, "#/events?tag=page/test/")
	fire := func(tag string, data any) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := w.client.Fire(ctx, tag, data); err != nil {
			t.Fatal(err)
		}
	}
	row := func(tag string) string { return `document.querySelector('[data-tag="` + tag + `"]')` }
	b.until("an event is there", func() bool { // the stream may not be open yet
		fire("page/test/one", map[string]any{"n": 1})
		return eval[bool](b, row("page/test/one")+" !== null")
	})
	fire("page/other", map[string]any{})
	fire("page/test/two", map[string]any{"n": 2})
	b.true(row("page/test/two"))
	if eval[bool](b, row("page/other")+" !== null") {
		t.Error("an event of another tag is shown")
	}
	b.press("checkbox", "Pause")
	fire("page/test/three", map[string]any{})
	fire("page/test/four", map[string]any{})
	b.press("checkbox", "Pause")
	b.true(row("page/test/four"))
	b.true(row("page/test/three"))
}

// A key that waits is accepted by a press of a button, and a deletion is asked about again.
func TestKeys(t *testing.T) {
	w, b := enter(t, "#/keys")
	b.find("region", "Accepted keys")
	w.newcomer(t, "new-01")
	b.press("button", "Accept new-01")
	b.find("button", "Delete new-01")
	b.until("the minion is there", func() bool {
		n, err := w.client.Tree(t.Context())
		if err != nil {
			return false
		}
		m, ok := n.Minion("new-01")
		return ok && m.State == "up"
	})
	b.press("button", "Delete new-01")
	b.press("button", "Cancel")
	b.find("button", "Delete new-01")
	b.press("button", "Delete new-01")
	b.true(`document.querySelector("dialog[open]") !== null`)
	b.press("button", "Delete")
	b.until("the key is gone", func() bool {
		raw, err := w.client.Wheel(t.Context(), "key.list_all", nil)
		return err == nil && !strings.Contains(raw.String(), "new-01")
	})
}
