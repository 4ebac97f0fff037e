package auth

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// passwordsIn opens a file with this content; its options are given in pairs.
func passwordsIn(t *testing.T, content string, log *logged, options ...string) (*passwordFile, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "passwords")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	entries := map[string]any{"^filename": path}
	for i := 0; i < len(options); i += 2 {
		entries["^"+options[i]] = options[i+1]
	}
	f, err := openFile(Config{Entries: entries, Log: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	return f, path
}

// right reports whether a password is accepted. Similar passwords must never be.
func right(t *testing.T, f *passwordFile, name, password string) bool {
	t.Helper()
	for _, wrong := range []string{password + "x", strings.ToUpper(password), strings.Repeat("x", maxFilePassword+1)} {
		if id, err := f.Check(t.Context(), Credentials{Username: name, Password: wrong}); !errors.Is(err, ErrDenied) || id.Name != "" {
			t.Errorf("%s with %.20q: %v, %v", name, wrong, id, err)
		}
	}
	id, err := f.Check(t.Context(), Credentials{Username: name, Password: password})
	if err != nil && !errors.Is(err, ErrDenied) {
		t.Errorf("%s: %v", name, err)
	}
	return err == nil && id.Name == name && id.Groups == nil
}

// All hashes are of "builder", created by openssl and crypt(3).
var hashes = map[string]string{
	"bcrypt":     "$2b$04$abcdefghijklmnopqrstuu/GACL4BASs5qZJ2H5JEo0yW9XEj5.iq",
	"bcrypt-y":   "$2y$04$abcdefghijklmnopqrstuu/GACL4BASs5qZJ2H5JEo0yW9XEj5.iq",
	"apr1":       "$apr1$abcdefgh$LIQepOrDnCPxfpon9ueYt0",
	"md5crypt":   "$1$abcdefgh$OG8ThcMs28pRS0i6HKg9B/",
	"sha256":     "$5$short$.uyUqR1CIc5Rm0mnChsv9zdcmCvwWgLL75SNqwb4aG1",
	"sha256-r":   "$5$rounds=1500$short$e0iKiExqBfF/b0UuNjYRbwkYtx8.dn9gNA1gyJzKXb9",
	"sha512":     "$6$sixteencharssalt$V1t14hBjolpuF8QOR8IvB2UcORWJzxxplg12GE2tXzEHEYC3V7D0WreSZQQT3Zn8qa4t6O0HXNrPqpkbQQ07s1",
	"sha512-r":   "$6$rounds=1500$short$itwDg5jHlr3xDXMTYfFIhqgiz8s0OQY8FGOe0hxn36Viv7JQCu/00dA.FsFNx7m/oXsoyHyfTj07SUK9U6T9O0",
	"sha":        "{SHA}9SMYoF5RilWWASry7TjeaKwmpGg=",
	"ssha":       "{SSHA}XuqZo8Cby0+8guq9OzyThG7lmKRzYWx0",
	"the-plain1": "builder",
}

func TestHtpasswd(t *testing.T) {
	var log logged
	content := "# who may log in\n\n"
	for name, hash := range hashes {
		content += name + ":" + hash + "\r\n"
	}
	f, _ := passwordsIn(t, content, &log, "filetype", "htpasswd")
	for name := range hashes {
		if !right(t, f, name, "builder") {
			t.Errorf("%s is refused", name)
		}
	}
	if right(t, f, "nobody", "builder") || right(t, f, "# who may log in", "builder") {
		t.Error("a user who is not in the file is accepted")
	}
	if log.String() != "" {
		t.Error(&log)
	}
}

// An unknown hash is never accepted as a password, and is not logged.
func TestUnknownHashes(t *testing.T) {
	var log logged
	unknown := []string{
		"ab0YneVfCMp1c", // DES
		"$y$j9T$abcdefgh$Cb9qq/FQykHNo5lvGiF7LZedXhR/TSCL72NYSL0hryC",  // yescrypt
		"$2b$15$abcdefghijklmnopqrstuu/GACL4BASs5qZJ2H5JEo0yW9XEj5.iq", // too expensive
		"$2b$04$abcdefghijklmnopqrstuu",
		"$5$rounds=1000001$short$e0iKiExqBfF/b0UuNjYRbwkYtx8.dn9gNA1gyJzKXb9",
		"$5$short$x",
		"$6$",
		"$apr1$abcdefgh$",
		"{SHA}AAAA",
		"{SHA}9SMYoF5RilWWASry7TjeaKwmpGhYWFhY",
		"{SSHA}?",
		"{SHA512}AAAA",
		"!",
		"*",
		"",
	}
	f, path := passwordsIn(t, "", &log, "filetype", "htpasswd")
	for _, hash := range unknown {
		if err := os.WriteFile(path, []byte("bob:"+hash+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := len(log.String())
		if right(t, f, "bob", hash) || right(t, f, "bob", "builder") {
			t.Errorf("%q accepts a login", hash)
		}
		lines := log.String()[before:]
		if !strings.Contains(lines, "line=1") || len(hash) > 1 && strings.Contains(lines, hash) {
			t.Errorf("%q: logged %s", hash, lines)
		}
	}
}

func TestHtdigest(t *testing.T) {
	var log logged
	f, _ := passwordsIn(t, "bob:Other:00000000000000000000000000000000\nbob:Realm:26d472e17c550e3ba7f5e193f6667bbb\neve:Other:26d472e17c550e3ba7f5e193f6667bbb\nbad:Realm\nbad2:Realm:zz\n",
		&log, "filetype", "htdigest", "realm", "Realm")
	if !right(t, f, "bob", "builder") || right(t, f, "eve", "builder") || right(t, f, "bad2", "zz") {
		t.Error("the users are not those of the file")
	}
	for _, want := range []string{"line=4", "line=5"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s is not logged: %s", want, &log)
		}
	}
}

func TestTextFile(t *testing.T) {
	for _, c := range []struct {
		content string
		options []string
		wrong   string
	}{
		{"bob:builder\nalice:wonder:land\n", nil, ""},
		{" bob:builder\t\n", nil, ""},
		{"1|bob|c87a8ca60f0891b79d192fa86f019916\n2|short\n", []string{"hashtype", "md5", "username_field", "2", "password_field", "3", "field_separator", "|"}, "line=2"},
		{"df6b07176a9b17cc4c9afc257bd404732e7d09b76436c7890f7b7be14e579794::bob", []string{"hashtype", "sha256", "username_field", "2", "password_field", "1", "field_separator", "::"}, ""},
		{"bob:e95166b85de4c0e9d9b7e2579bf0cad5cbe49bf5a5cc6069c0dcf44e3a3ef6b1d6fa308fb65a379425721775d8ff58e11121a13a978d4467a56db8e00e043578\ncarl:builder\n", []string{"filetype", "text", "hashtype", "SHA512"}, "line=2"},
		{"bob:builder\nbob:other\n:x\nx:\n", nil, "line=2"},
	} {
		var log logged
		f, _ := passwordsIn(t, c.content, &log, c.options...)
		if !right(t, f, "bob", "builder") || right(t, f, "bob", "other") || right(t, f, "carl", "builder") {
			t.Errorf("%q is not read as it should be", c.content)
		}
		if !strings.Contains(log.String(), c.wrong) || c.wrong == "" && log.String() != "" {
			t.Errorf("%q: logged %s", c.content, &log)
		}
		if strings.Contains(log.String(), "builder") {
			t.Errorf("the log contains a password: %s", &log)
		}
	}
}

// The file is read at each login, and its faults are logged once.
func TestFileChanges(t *testing.T) {
	var log logged
	f, path := passwordsIn(t, "bob:builder\nwrong\n", &log)
	for range 3 {
		if !right(t, f, "bob", "builder") {
			t.Error("bob is refused")
		}
	}
	if n := strings.Count(log.String(), "line=2"); n != 1 {
		t.Errorf("logged %d times: %s", n, &log)
	}
	if err := os.WriteFile(path, []byte("bob:BUILDER\nwrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context(), Credentials{Username: "bob", Password: "builder"}); !errors.Is(err, ErrDenied) {
		t.Errorf("the previous password: %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("wrong\n", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context(), Credentials{Username: "bob", Password: "builder"}); !errors.Is(err, ErrDenied) {
		t.Errorf("a file without users: %v", err)
	}
	if !strings.Contains(log.String(), "lines=40") {
		t.Errorf("many wrong lines are logged as %s", &log)
	}
	if err := os.WriteFile(path, []byte("a:b\n"+strings.Repeat("x", maxLine+1)+"\nbob:builder\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context(), Credentials{Username: "bob", Password: "builder"}); !errors.Is(err, ErrDenied) || !strings.Contains(log.String(), "the rest of the file is not read") {
		t.Errorf("a long line: %v, %s", err, &log)
	}
	if err := os.Truncate(path, maxPasswordFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context(), Credentials{Username: "bob", Password: "builder"}); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("a huge file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context(), Credentials{Username: "bob", Password: "builder"}); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("no file: %v", err)
	}
}

func TestFileOptions(t *testing.T) {
	name := map[string]any{"^filename": "/x"}
	with := func(k string, v any) map[string]any { return map[string]any{"^filename": "/x", k: v} }
	refusedWith(t, "file", nil, nil, "^filename: is missing")
	refusedWith(t, "file", with("^filetype", "yaml"), nil, `^filetype: "yaml" is not known; use text`)
	refusedWith(t, "file", with("^filetype", "htdigest"), nil, "^realm: is missing")
	refusedWith(t, "file", with("^hashtype", "crc"), nil, "^hashtype: ")
	refusedWith(t, "file", with("^field_separator", ""), nil, "^field_separator: is empty")
	refusedWith(t, "file", with("^username_field", "x"), nil, "^username_field: wants a whole number from 1")
	refusedWith(t, "file", with("^username_field", int64(2)), nil, "^password_field: is the field of the names")
	refusedWith(t, "file", with("^password_field", int64(0)), nil, "^password_field")
	refusedWith(t, "file", with("^file", "/y"), nil, "unknown option ^file; use ^filename")
	refusedWith(t, "file", with("^realm", []any{}), nil, "^realm: wants a text")
	var log logged
	if _, err := openFile(Config{Entries: name, Log: log.logger()}); err != nil || !strings.Contains(log.String(), "no such file") {
		t.Errorf("a file that is not there yet: %v, %s", err, &log)
	}
}

// FuzzPasswords: any file is read, each invalid line is reported, and an empty password is never
// accepted.
func FuzzPasswords(f *testing.F) {
	for name, hash := range hashes {
		f.Add(name+":"+hash+"\n", uint8(1))
	}
	f.Add("bob:Realm:26d472e17c550e3ba7f5e193f6667bbb", uint8(2))
	f.Add("bob:builder\n\n#\nx\n", uint8(0))
	f.Add("$5$rounds=999999999$x$", uint8(1))
	f.Fuzz(func(t *testing.T, content string, kind uint8) {
		form := fileForm{kind: []string{"text", "htpasswd", "htdigest"}[kind%3], realm: "Realm", hash: "plaintext", separator: ":", password: 1}
		has, wrong := readPasswords(strings.NewReader(content), form)
		if (has.decoy == nil) != (len(has.of) == 0) {
			t.Error("a file with users has a dummy verifier")
		}
		for _, w := range wrong {
			if w.err == nil || w.line < 1 {
				t.Errorf("%v", w)
			}
		}
		n := 0
		for name, v := range has.of {
			if n++; n > 3 { // hashing takes time
				break
			}
			if checkName(name) != nil || !strings.Contains(content, name) {
				t.Errorf("a user %q in %q", name, content)
			}
			if form.kind == "text" && v.matches(name, "") {
				t.Errorf("%q is accepted without a password", name)
			}
			v.matches(name, "builder")
		}
	})
}
