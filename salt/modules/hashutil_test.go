package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The results are those of Salt 3006.27 for the same calls.
func TestHashutil(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("vm\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls(t, newEnv(), []callCase{
		{"hashutil.md5_digest", []any{"get salted"}, "2aacf29e92feaf528fb738bcf9d647ac"},
		{"hashutil.sha256_digest", []any{"get salted"}, "d49859ccbc854fa68d800b5734efc70d72383e6479d545468bc300263164ff33"},
		{"hashutil.sha512_digest", []any{"é"}, "9e2ad28633f24451bd4f3c1cb20586a21a44c3aeedbdc01b9cc8fa72917ea7bd689c82b8bf1fef89b911cf8cc46fa2c1ccc10087b2094fd4d3350ecd88526a2c"},
		{"hashutil.digest", []any{"get salted"}, "2aacf29e92feaf528fb738bcf9d647ac"},
		{"hashutil.digest", []any{"get salted", "sha256"}, "d49859ccbc854fa68d800b5734efc70d72383e6479d545468bc300263164ff33"},
		{"hashutil.digest", []any{"get salted", "rot13"}, "ERROR: Hash func 'rot13' is not supported."},
		{"hashutil.digest_file", []any{file}, "6520213d3695a344f306efffa2523807"},
		{"hashutil.digest_file", []any{"/no/such"}, "ERROR: File path '/no/such' not found."},
		{"hashutil.base64_b64encode", []any{"get salted"}, "Z2V0IHNhbHRlZA=="},
		{"hashutil.base64_b64decode", []any{"Z2V0IHNhbHRlZA=="}, "get salted"},
		{
			"hashutil.base64_encodestring",
			[]any{strings.Repeat("a", 97)},
			"YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh\nYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYQ==\n",
		},
		{"hashutil.base64_encodestring", []any{""}, ""},
		{"hashutil.base64_decodestring", []any{"Z2V0IHNh\nbHRlZA==\n"}, "get salted"},
		{"hashutil.base64_encodefile", []any{file}, "dm0K\n"},
		{"hashutil.hmac_compute", []any{"get salted", "shared secret"}, "78159ff5bb2d5e0f8d88fe403b0a690791ccbd989830fcc433d5b960c9bf0264"},
		{"hashutil.hmac_signature", []any{"get salted", "shared secret", "eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ="}, true},
		{"hashutil.hmac_signature", []any{"get saltd", "shared secret", "eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ="}, false},
		{"hashutil.github_signature", []any{"x", "shared secret", "sha1=bc6550fc290acf5b42283fa8deaf55cea0f8c206"}, false},
		{"log.info", []any{"hello"}, true},
	})
}
