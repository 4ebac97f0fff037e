package salt

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
)

// user is a master as seen by a user who may start jobs but not see the tree.
type user struct {
	client.Master
	meant client.Meant
	err   error
}

func (u user) Preview(context.Context, client.Job) (client.Preview, error) {
	return client.Preview{}, &client.Refused{Name: "UserAuthenticationError", Message: "Authentication failure of type \"user\" occurred"}
}

func (u user) Meant(_ context.Context, _ client.Job, limit int) (client.Meant, error) {
	m := u.meant
	m.Minions = m.Minions[:min(limit, len(m.Minions))]
	return m, u.err
}

// A user without access to the tree sees the minions of a job that he may start, and no others.
func TestPreviewForUsers(t *testing.T) {
	for name, c := range map[string]struct {
		u           user
		out, stderr string
		err         string
	}{
		"all are known": {user{meant: client.Meant{Count: 2, Minions: []topology.Place{{ID: "web-02"}, {ID: "web-01"}}}}, "- web-01\n- web-02\n", "", ""},
		"some decide below": {
			user{meant: client.Meant{Count: 3, Unknown: 2, Blind: 1, Minions: []topology.Place{{ID: "web-01"}}}},
			"- web-01\n",
			"2 more match and are not named\n2 minions may match too: the nodes below know their grains and pillar and decide\n1 nodes do not report their minions\n", "",
		},
		"nobody":  {user{}, "", "", "No minions matched the target."},
		"refused": {user{err: &client.Refused{Name: "AuthorizationError", Message: "Authorization error occurred."}}, "", "", "Authorization error occurred."},
	} {
		var out, stderr bytes.Buffer
		r := &call{f: &flags{}, client: c.u, job: client.Job{Tgt: "web*", Fun: []string{"test.ping"}}, out: &out, stdout: &out, stderr: &stderr}
		err := r.preview(t.Context())
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.TrimPrefix(out.String(), "[]\n"); strings.TrimSpace(got) != strings.TrimSpace(c.out) || stderr.String() != c.stderr {
			t.Errorf("%s: %q %q", name, out.String(), stderr.String())
		}
	}
}
