package wire

import "fmt"

// notTakenKey marks a return that stands for one which could not be taken. Salt's
// programs pass over it.
const notTakenKey = "not_taken"

// NotTaken is what people read in the place of a result that a master refused.
func NotTaken(minion, by string, why error) string {
	return fmt.Sprintf("ERROR: the result of %s could not be taken by %s: %v", minion, by, why)
}

// ErrorReturn is the return that ends a job for a minion whose own one could not be
// taken: a failure that says why. Of the true one it keeps what names the job and the
// function; its arguments may be what was at fault.
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

// IsErrorReturn tells whether a load is an [ErrorReturn].
func IsErrorReturn(load Raw) bool {
	v, err := Field(load, notTakenKey)
	return err == nil && v != nil && Truth(v)
}
