//go:build !slow

package chaos

// rounds is the option by which TestRounds plays in `make test`.
const rounds = "--rounds=1"
