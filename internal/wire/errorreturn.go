package wire

import "fmt"

// notTakenKey marks a return that replaces one that was refused. Salt's programs ignore it.
const notTakenKey = "not_taken"

// NotTaken returns the text that users see in place of a result that a master refused.
func NotTaken(minion, by string, why error) string {
	return fmt.Sprintf("ERROR: the result of %s could not be taken by %s: %v", minion, by, why)
}

// ErrorReturn returns the return that ends a job for a minion whose own return was refused: a
// failure with the reason. It keeps the fields of the true return that identify the job and the
// function, but not the arguments, which may be the cause.
func ErrorReturn(of Return, text string) *Map {
	m := NewMap("cmd", "_return", "id", of.ID, "success", false, "return", text, "retcode", 1, "out", "nested", "jid", of.JID,
		"fun", of.FunName(), "fun_args", []any{})
	if of.User != "" {
		m.Set("user", of.User)
	}
	if of.MasterID != "" {
		m.Set("master_id", of.MasterID)
	}
	m.Set(notTakenKey, true)
	return m
}

// IsErrorReturn reports whether a load is an [ErrorReturn].
func IsErrorReturn(load Raw) bool {
	v, err := Field(load, notTakenKey)
	return err == nil && v != nil && Truth(v)
}
