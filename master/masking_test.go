package master

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// A password in the arguments of a job reaches the minion only: not the disk, the event bus, or
// clients that look up the job.
func TestJobArguments_Masked(t *testing.T) {
	const password = "correct-horse-battery"
	const named = "staple-horse-battery"
	r := newRig(t, func(c *config.Master) { c.PublishRetention = 0 })
	r.start()
	rec := r.events()
	m := r.minion("web", "minion", "minion").listen().announce()
	args := []any{"bob", password, wire.NewMap("api_token", named, "__kwarg__", true)}
	jid := r.say(testJob("web", "glob", "fun", "shadow.set_password", "arg", args)).Map("load").String("jid")
	heard := m.hear()
	if !bytes.Contains(heard.Arg, []byte(password)) || !bytes.Contains(heard.Arg, []byte(named)) {
		t.Error("the minion does not get the arguments as they are")
	}
	m.must(wire.NewMap("cmd", "_return", "id", "web", "jid", jid, "fun", "shadow.set_password", "fun_args", args,
		"return", true, "retcode", 0, "success", true))
	for _, tag := range []string{"salt/job/" + jid + "/new", "salt/job/" + jid + "/ret/web"} {
		e, err := wire.Encode(rec.take(tag))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(e, []byte(password)) || bytes.Contains(e, []byte(named)) {
			t.Errorf("the event %s contains a password", tag)
		}
		if !bytes.Contains(e, []byte("**********")) {
			t.Errorf("the event %s shows no mask", tag)
		}
	}
	for _, fun := range []string{"jobs.list_job", "jobs.lookup_jid", "jobs.list_jobs", "jobs.print_job"} {
		arg := []any{jid}
		if fun == "jobs.list_jobs" {
			arg = []any{}
		}
		answer, err := wire.Encode(r.say(wire.NewMap("cmd", "runner", "fun", fun, "arg", arg, "kwarg", wire.NewMap(), "key", rootKey, "user", "root")))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(answer, []byte(password)) || bytes.Contains(answer, []byte(named)) {
			t.Errorf("%s contains a password", fun)
		}
	}
	r.stop()
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, secret := range []string{password, named} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s contains a password", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mask_job_args: False stores arguments as they are.
func TestJobArguments_NotMasked(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.MaskJobArgs = false })
	r.start()
	rec := r.events()
	r.minion("web", "minion", "minion").listen().announce()
	jid := r.say(testJob("web", "glob", "fun", "x.y", "arg", []any{"password=open"})).Map("load").String("jid")
	if arg := rec.take("salt/job/" + jid + "/new").List("arg"); len(arg) != 1 || arg[0] != "password=open" {
		t.Errorf("arguments %v", arg)
	}
}
