package page

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// lie is what somebody says who wants a script of his to run in the browser of an operator.
const lie = `<img src=x onerror="window.lied=1"><script>window.lied=1</script>"'><svg onload=window.lied=1>`

// Whatever minions, nodes, jobs, keys and events say, it is shown as text: nothing of it
// becomes an element, and no script of theirs runs.
func TestLiar(t *testing.T) {
	id := strings.ReplaceAll(lie, "/", "")
	l := play(topology.Node{
		ID: "top", Role: "master", Version: lie, State: topology.Up, Minions: []topology.Minion{{ID: id, State: topology.Down, Version: lie}, {ID: "javascript:window.lied=1", State: topology.Up}},
		Nodes: []topology.Node{{ID: "node " + id, Role: lie, Version: lie, State: topology.Up, Problems: []topology.Problem{{Kind: topology.Kind(lie), Detail: lie}}}},
	})
	l.jobs.Set(playedJob, value.NewMap("Function", lie, "Arguments", []any{lie}, "Target", lie, "Target-type", lie, "User", lie, "StartTime", lie))
	l.record = value.NewMap("jid", playedJob, "Function", lie, "Arguments", []any{lie, value.NewMap(lie, lie)}, "Target", lie, "Target-type", "glob", "User", lie, "StartTime", lie, "Minions", []any{id},
		"Result", value.NewMap(id, value.NewMap("return", lie, "retcode", 0, "success", true)))
	l.rets = map[string]any{id: value.NewMap(lie, []any{lie}), "state": value.NewMap("file_|-"+lie+"_|-"+lie+"_|-managed", value.NewMap("result", false, "comment", lie, "name", lie, "__id__", lie, "changes", value.NewMap(lie, lie), "__run_num__", 0))}
	l.step = trace.Step{
		Node: "top", State: trace.Open, Fun: lie, Expected: 3, Returned: 1, MissingAll: 1, WaitingAll: 1, Missing: []trace.Named{{ID: id, Why: lie, Behind: lie}}, Waiting: []trace.Named{{ID: lie, Behind: lie}},
	}
	l.meant = client.Meant{Count: 1, Minions: []topology.Place{{ID: id, Path: lie, State: topology.State(lie)}}, Nodes: []client.MeantBy{{Path: lie, Count: 1}}}
	l.listed = map[string][]any{"minions": {id, "good-01"}, "minions_pre": {lie}, "minions_denied": {lie}}
	raw, err := client.RawOf(lie)
	if err != nil {
		t.Fatal(err)
	}
	l.follow <- client.Update{Return: &client.Return{JID: playedJob, ID: id, Fun: lie, Value: raw, Success: true}}
	url, stop, err := serve(l)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	b := open(t, url)
	b.logIn("alice", "wonder")
	event, err := client.RawOf(value.NewMap("id", lie, "fun", lie, "return", lie, lie, lie, "_stamp", lie))
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{"tree", "tree/node%20x", "jobs", "job/" + playedJob, "keys", "events?tag=", "run?tgt=" + lie + "&fun=test.ping", "minion/" + id, "minion/" + "javascript:window.lied=1"} {
		eval[bool](b, `(location.hash = `+quote("#/"+strings.ReplaceAll(view, "%", "%25"))+`, true)`)
		if strings.HasPrefix(view, "events") {
			b.until("the event is there", func() bool {
				select {
				case l.events <- client.Event{Tag: "salt/" + lie, Data: event}:
				case <-time.After(patience):
				}
				return eval[bool](b, `document.querySelector("[data-tag]") !== null`)
			})
			eval[bool](b, `(document.querySelectorAll("details").forEach((d) => { d.open = true }), true)`)
		}
		if strings.HasPrefix(view, "run") {
			b.press("button", "Preview")
		}
		if strings.HasPrefix(view, "minion/javascript") {
			b.text("at this master")
		} else {
			b.text("onerror")
		}
		if view == "job/"+playedJob {
			for _, name := range []string{"JSON", "Highstate", "Text"} {
				b.press("tab", name)
				b.text("onerror")
			}
		}
		if got := eval[int](b, `document.querySelectorAll('img[src="x"], main script, svg[onload], [onerror], a[href^="javascript:" i]').length`); got > 0 {
			t.Errorf("%s: %d elements were made of what was said", view, got)
		}
		if eval[bool](b, "window.lied === 1") {
			t.Errorf("%s: a script of somebody else has run", view)
		}
	}
}

// If somebody got elements into the page all the same, the browser would run none of their
// scripts.
func TestPolicy(t *testing.T) {
	b := open(t, tree(t).url)
	b.find("button", "Log in")
	eval[bool](b, `(document.body.insertAdjacentHTML("beforeend", '<img src="data:x" onerror="window.lied=1"><p id="p" style="color:red"></p><a id="a" href="javascript:window.lied=1">x</a>'), true)`)
	eval[bool](b, `(document.getElementById("a").click(), true)`)
	eval[bool](b, `(document.body.append(Object.assign(document.createElement("script"), { textContent: "window.lied=1" })), true)`)
	eval[bool](b, `(document.body.append(Object.assign(document.createElement("script"), { src: "https://127.0.0.1:1/x.js" })), true)`)
	eval[bool](b, `(document.body.append(Object.assign(document.createElement("iframe"), { src: "https://127.0.0.1:1/" })), true)`)
	b.true(`["script-src-attr", "style-src-attr", "script-src-elem", "frame-src"].every((d) => window.violations.some((v) => v.startsWith(d)))`)
	b.true(`window.violations.filter((v) => v.startsWith("script-src-elem")).length >= 3`)
	if eval[bool](b, "window.lied === 1") {
		t.Error("a script in the document has run")
	}
	b.must(chromedp.Do(b.ctx, chromedp.Navigate("about:blank"))) // what was wrong here was meant
}
