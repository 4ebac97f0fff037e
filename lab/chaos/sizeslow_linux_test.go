//go:build slow

package chaos

// rounds is the option by which TestRounds plays in `make slow`.
const rounds = "--rounds=3"
