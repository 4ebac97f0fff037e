package remote

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
)

// retEvent is the event of a minion's return.
func retEvent(jid, id string) string {
	return fmt.Sprintf("tag: salt/job/%s/ret/%s\ndata: {\"tag\": \"salt/job/%[1]s/ret/%s\", \"data\": {\"jid\": %[1]q, \"id\": %[2]q, \"return\": true, \"success\": true}}\n\n", jid, id)
}

// serves makes an API answer like a top: a login of its own, and the stream of a job.
func (f *fakeAPI) serves(token string, stream func(w http.ResponseWriter, jid string)) {
	f.answers("POST /login", `{"return": [{"token": "`+token+`", "user": "ann", "start": 1, "expire": 2, "perms": [".*"]}]}`)
	f.handles("POST /", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-Token") != token {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status": 401, "return": "No permission -- see authorization schemes"}`)
			return
		}
		_, _ = io.WriteString(w, `{"return": [{"jid": "`+testJID+`", "minions": ["a", "b"]}]}`)
	})
	f.handles("GET /jobs/"+testJID+"/stream", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-Token") != token {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status": 401, "return": "No permission -- see authorization schemes"}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		stream(w, testJID)
	})
}

// A top dies in the middle of a job. The client logs in at the other one and follows the job there;
// no return comes twice. A job that the first one could not take is started at the other one, once.
func TestSeveralAddresses(t *testing.T) {
	one, two := startAPI(t), startAPI(t)
	one.serves("token-1", func(w http.ResponseWriter, jid string) {
		_, _ = io.WriteString(w, retEvent(jid, "a"))
		w.(http.Flusher).Flush()
		go one.Close() // ends when the handler has returned
		panic(http.ErrAbortHandler)
	})
	two.serves("token-2", func(w http.ResponseWriter, jid string) {
		_, _ = io.WriteString(w, retEvent(jid, "a")+retEvent(jid, "b"))
		_, _ = fmt.Fprintf(w, "tag: mom/job/complete\ndata: {\"tag\": \"mom/job/complete\", \"data\": {\"jid\": %q, \"expected\": 2, \"returned\": 2}}\n\n", jid)
	})
	c, err := New(Options{URL: one.URL + ", " + two.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	token, err := c.Login(t.Context(), client.Login{Username: "ann", Password: "p", Eauth: "pam"}, 0)
	if err != nil || token.Token != "token-1" {
		t.Fatalf("token %q, %v", token.Token, err)
	}
	c = c.With(token.Token)
	f, err := c.Follow(t.Context(), client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for {
		u, err := f.Next(t.Context())
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		if u.Return != nil {
			got = append(got, u.Return.ID)
		}
		if u.Complete != nil {
			break
		}
	}
	if s := strings.Join(got, " "); s != "a b" {
		t.Errorf("returns %q", s)
	}
	if s := strings.Join(one.requests(), "\n"); !strings.Contains(s, `"jid":"2`) && !strings.Contains(s, `"jid": "2`) {
		t.Errorf("the job has no jid of the client's: %s", s)
	}

	two.requests()
	p, err := c.Publish(t.Context(), client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil || p.JID != testJID {
		t.Errorf("published %+v, %v", p, err)
	}
	if n := strings.Count(strings.Join(two.requests(), "\n"), "local_async"); n != 1 {
		t.Errorf("the other one got the job %d times", n)
	}
}
