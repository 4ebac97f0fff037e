package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const threeServices = `
sharedsecret: "a secret of the master"
external_auth:
  auto:
    dave: ['.*', '@runner']
  sharedsecret:
    frank: [test.*]
    staff%: [pkg.*]
`

// Logins that are accepted, and refusals that do not reveal the reason.
func TestAuthenticate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		s, _ := service(t, time.Now, log.logger(), threeServices)
		withFake(s, "fake", Driver{})
		s.rules = func(_ string, id Identity) []any {
			if id.Name == "nobody" {
				return nil
			}
			return []any{"test.*"}
		}
		for _, c := range []struct {
			eauth, name, password string
			want                  error
		}{
			{"auto", "dave", "", nil},
			{"auto", "dave", "whatever", nil},
			{"auto", "nobody", "x", ErrDenied}, // the user has no rules
			{"sharedsecret", "frank", "a secret of the master", nil},
			{"sharedsecret", "frank", "a secret of the maste", ErrDenied},
			{"sharedsecret", "frank", "", ErrDenied},
			{"fake", "dave", "right", nil},
			{"fake", "dave", "wrong-password", ErrDenied},
			{"fake", "dave", strings.Repeat("x", maxPassword+1), ErrDenied},
			{"pam", "dave", "right", ErrDenied}, // not in external_auth
			{"", "dave", "right", ErrDenied},
			{"auto", "", "x", ErrDenied},
			{"auto", " dave", "x", ErrDenied},
			{"auto", "da\nve", "x", ErrDenied},
			{"auto", "da\u202eve", "x", ErrDenied},
			{"auto", "da\xffve", "x", ErrDenied},
			{"auto", strings.Repeat("d", maxName+1), "x", ErrDenied},
		} {
			began := time.Now()
			id, err := s.Authenticate(t.Context(), Credentials{Eauth: c.eauth, Username: c.name, Password: c.password})
			took := time.Since(began)
			if err != c.want {
				t.Errorf("%s by %s: %v, want %v", c.name, c.eauth, err, c.want)
			}
			switch {
			case c.want == nil && (id.Name != c.name || took != 0):
				t.Errorf("%s by %s is %q after %v", c.name, c.eauth, id.Name, took)
			case c.want != nil && (took < refusalTime*3/4 || id.Name != ""):
				t.Errorf("%s by %s: refused after %v, with %q", c.name, c.eauth, took, id.Name)
			}
			time.Sleep(forgottenAfter + time.Second) // so that no case slows down the next
		}
		for _, secret := range []string{"wrong-password", "secret of"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("the log contains a password:\n%s", &log)
			}
		}
		for _, want := range []string{"the fake says no", "user=dave", "no entry of external_auth means this user"} {
			if !strings.Contains(strings.ReplaceAll(log.String(), `login.`, ""), want) {
				t.Errorf("%q is not in the log:\n%s", want, &log)
			}
		}
	})
}

// Groups reach the rules.
func TestGroupsHaveRules(t *testing.T) {
	s, c := service(t, at(began), quiet, threeServices)
	c.ExternalAuth["fake"] = map[string]any{"staff%": []any{"pkg.*"}}
	withFake(s, "fake", Driver{})
	id, err := s.Authenticate(t.Context(), Credentials{Eauth: "fake", Username: "carol", Password: "right"})
	if err != nil || !slices.Equal(id.Groups, []string{"staff"}) {
		t.Errorf("%v, %v", id, err)
	}
}

// A failing login service is logged, and the user does not see the reason. One that takes too long
// is abandoned.
func TestBackendFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		s, _ := service(t, time.Now, log.logger(), threeServices)
		f := withFake(s, "fake", Driver{})
		login := func() error {
			_, err := s.Authenticate(t.Context(), Credentials{Eauth: "fake", Username: "dave", Password: "right"})
			return err
		}
		f.do = func(context.Context, Credentials) (Identity, error) {
			return Identity{}, errors.New("the disk is gone")
		}
		if err := login(); err != ErrUnavailable {
			t.Errorf("a service that fails: %v", err)
		}
		if !strings.Contains(log.String(), "the disk is gone") {
			t.Errorf("the reason is not in the log:\n%s", &log)
		}
		f.do = func(ctx context.Context, _ Credentials) (Identity, error) {
			<-ctx.Done()
			return Identity{}, ctx.Err()
		}
		began := time.Now()
		if err := login(); err != ErrUnavailable || time.Since(began) != checkTime {
			t.Errorf("a silent service: %v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Authenticate(ctx, Credentials{Eauth: "fake", Username: "dave", Password: "right"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a cancelled login: %v", err)
		}
		if _, err := s.Authenticate(ctx, Credentials{Eauth: "sharedsecret", Username: "dave", Password: "x"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a refusal that is not waited for: %v", err)
		}
	})
}

// The checks of a login service are limited. A login that waits too long for its turn is refused as
// busy, unchecked.
func TestFewAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := service(t, time.Now, quiet, threeServices)
		s.rules = func(string, Identity) []any { return []any{".*"} }
		f := withFake(s, "fake", Driver{AtOnce: 2})
		var mu sync.Mutex
		running, most, let, busy := 0, 0, 0, 0
		f.do = func(_ context.Context, c Credentials) (Identity, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(4 * time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return Identity{Name: c.Username}, nil
		}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				_, err := s.Authenticate(t.Context(), Credentials{Eauth: "fake", Username: fmt.Sprint("user", i), Password: "x"})
				mu.Lock()
				defer mu.Unlock()
				switch err {
				case nil:
					let++
				case ErrBusy:
					busy++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// Two at a time begin after 0, 4 and 8 seconds; the others time out after 10.
		if most != 2 || let != 6 || busy != 14 || f.asked != 6 {
			t.Errorf("%d at once, %d accepted, %d busy, %d checked", most, let, busy, f.asked)
		}
	})
}

func TestSecretsAreNotPrinted(t *testing.T) {
	c := Credentials{Eauth: "pam", Username: "bob", Password: "hunter2"}
	id := strings.Repeat("ab", 32)
	tok := Token{Token: id, Name: "bob", Eauth: "pam"}
	var log logged
	log.logger().Info("x", "c", c, "t", tok)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprintf("%v %+v %#v %s", tok, tok, tok, tok), log.String()} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, id) || !strings.Contains(text, "bob") {
			t.Errorf("printed as %s", text)
		}
	}
}
