package page

import (
	"testing"

	"github.com/momtree/mom/api"
)

// A small tree fills its room, with each of its minions; a node whose minion has died is not
// shown as well; nothing that a load of the page asks for is refused.
func TestSmallTree(t *testing.T) {
	w, b := enter(t, "")
	b.node("syndic-b", "up")
	eval[bool](b, `location.reload() === undefined`)
	b.node("syndic-b", "up")
	b.true(`document.querySelectorAll("a.leaf").length === 6`)
	b.true(`(() => {
		const room = document.querySelector(".stage").getBoundingClientRect(), picture = document.querySelector(".stage svg").getBoundingClientRect();
		return picture.width > 0.85 * room.width || picture.height > 0.85 * room.height;
	})()`)
	b.true(`performance.getEntriesByType("resource").every((r) => r.responseStatus < 400)`)
	mend := w.kill(t, "db-02")
	b.node("syndic-a/deep", "lag")
	b.find("treeitem", "deep: up, 1 of its minions down")
	b.true(`document.querySelector('a.leaf[data-minion="db-02"]').dataset.state === "down"`)
	mend()
	b.node("syndic-a/deep", "up")
	b.press("link", "db-02: up")
	b.true(`location.hash === "#/minion/db-02?path=syndic-a%2Fdeep"`)
}

// The table of a job has the master's own minions, so that its rows add up.
func TestJobTableAddsUp(t *testing.T) {
	_, b := enter(t, "#/run?tgt=*&fun=test.ping")
	b.press("button", "Run")
	b.text("this master's own minions")
	b.true(`(() => {
		const rows = [...document.querySelectorAll('[aria-label="Account"] tbody tr')].map((row) => [...row.cells]);
		const first = rows.filter(([name]) => !name.querySelector("a") || name.querySelector("a").dataset.key.indexOf("/") < 0);
		const sum = (i) => first.reduce((n, cells) => n + Number(cells[i].textContent), 0);
		return sum(2) === 6 && sum(3) === 6 && sum(5) === 0 && document.querySelector("[data-count=expected]").textContent === "6";
	})()`)
}

// The login offers the services of the master.
func TestLoginOffers(t *testing.T) {
	url, stop, err := serve(play(company()), func(o *api.Options) { o.Logins = []string{"file", "ldap"} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	b := open(t, url)
	b.true(`document.querySelector("[name=eauth]")?.value === "file"`)
	b.true(`[...document.querySelectorAll("datalist option")].map((o) => o.value).join() === "file,ldap"`)
}
