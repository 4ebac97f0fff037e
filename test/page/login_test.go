package page

import (
	"testing"

	"github.com/momtree/mom/api"
)

// A failed login shows an error; after a login the page shows the tree, until logout. No script sees the
// token.
func TestLogin(t *testing.T) {
	w := tree(t)
	b := open(t, w.url)
	b.logIn("alice", "wrong")
	b.find("alert", "")
	b.text("User or password is wrong")
	if n := len(b.all("button", "Log out")); n > 0 {
		t.Error("somebody who was not let in can log out")
	}
	b.write("textbox", "Password", "wonder")
	b.press("button", "Log in")
	b.find("tree", "Tree of masters")
	if got := eval[string](b, `document.cookie + JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})`); len(got) > 200 {
		t.Errorf("scripts see %s", got)
	}
	if !eval[bool](b, `!/[0-9a-f]{32}/.test(document.cookie + JSON.stringify({...localStorage}) + document.documentElement.outerHTML)`) {
		t.Error("a script sees something like a token")
	}
	b.press("button", "Log out")
	b.find("textbox", "Password")
	b.true(`document.querySelector("[role=tree]") === null`)
}

// A user with few rights sees which call was refused, and stays logged in.
func TestFewRights(t *testing.T) {
	w := tree(t)
	b := open(t, w.url+"#/run?tgt=web-*&fun=test.ping")
	b.logIn("bob", "builder")
	b.find("button", "Log out")
	b.press("button", "Preview")
	b.text("2 minions match")
	b.write("textbox", "Target", "*")
	b.press("button", "Preview")
	b.text("would not take this call")
	b.press("link", "Tree")
	b.find("alert", "")
	if n := len(b.all("textbox", "Password")); n > 0 {
		t.Error("who may not see the tree is asked to log in again")
	}
}

// The page is the same in the manner of either of Salt's servers, behind a prefix, and
// under another name.
func TestPlaces(t *testing.T) {
	for name, change := range map[string]func(*api.Options){
		"rest_tornado":  func(o *api.Options) { o.Dialect = api.Tornado },
		"behind a path": func(o *api.Options) { o.Root, o.AppPath = "/salt", "/ui" },
	} {
		t.Run(name, func(t *testing.T) {
			url, stop, err := serve(play(company()), change)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := stop(); err != nil {
					t.Error(err)
				}
			}()
			b := open(t, url+"/")
			b.logIn("alice", "wonder")
			b.text("1 node not up")
			b.press("link", "Keys")
			b.find("region", "Accepted keys")
			b.press("button", "Log out")
			b.find("textbox", "Password")
		})
	}
}
