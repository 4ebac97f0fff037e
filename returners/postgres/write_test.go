package postgres

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// Rows have the form in which Salt's own returner writes them.
func TestRowsReadAsSaltWritesThem(t *testing.T) {
	s := server(t)
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			name := s.Database(t)
			st := open(t, s, name, as(f.name))
			value := wire.NewMap("args", []any{1, "x"}, "kwargs", wire.NewMap("k", "é"))
			full := wire.NewMap("id", "my-01", "success", true, "return", value, "retcode", 0, "jid", returnertest.JID(1), "fun", "test.arg", "fun_args", []any{1, wire.NewMap("k", "v")})
			failed := returnertest.Return(t, 1, "my-02", "cmd.run", "out")
			failed.Success = false
			if err := st.SaveReturns(t.Context(), []returners.Return{
				{JID: returnertest.JID(1), ID: "my-01", Fun: "test.arg", Success: true, Value: returnertest.Encode(t, value), Full: returnertest.Encode(t, full)}, failed,
			}); err != nil {
				t.Fatal(err)
			}
			// Equal as jsonb, whatever the order of the keys.
			n := returnertest.Count(t, s.Open(t, name), `SELECT COUNT(*) FROM salt_returns WHERE id = 'my-01' AND fun = 'test.arg' AND success = 'true'
				AND "return"::jsonb = '{"args": [1, "x"], "kwargs": {"k": "é"}}' AND full_ret::jsonb = '{"id": "my-01", "success": true,
				"return": {"args": [1, "x"], "kwargs": {"k": "é"}}, "retcode": 0, "jid": "`+returnertest.JID(1)+`", "fun": "test.arg", "fun_args": [1, {"k": "v"}]}'`)
			if n += returnertest.Count(t, s.Open(t, name), "SELECT COUNT(*) FROM salt_returns WHERE success = 'false' AND id = 'my-02'"); n != 2 {
				t.Errorf("%d of the two rows are as expected", n)
			}
		})
	}
}

// A trigger rejects a row: an error of the row. A further unique key means that the row is
// there.
func TestUserKeyThatDoublesIsNoError(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Exec(t, name, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.id = ''bad'' THEN RAISE EXCEPTION ''no''; END IF; RETURN NEW; END';"+
		"CREATE TRIGGER refuse BEFORE INSERT ON salt_returns FOR EACH ROW EXECUTE FUNCTION refuse(); CREATE UNIQUE INDEX mine ON salt_returns (fun) WHERE fun = 'once'")
	err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "bad", "test.ping", true)})
	if !errors.Is(err, returners.ErrRejected) || returners.Class(err) != returners.ClassData {
		t.Errorf("trigger: %v", err)
	}
	var rets []returners.Return
	for _, id := range []string{"a", "dup", "z"} {
		rets = append(rets, returnertest.Return(t, 2, id, "once", true))
	}
	if err := st.SaveReturns(t.Context(), rets); err != nil {
		t.Errorf("23505: %v", err)
	}
	if n := returnertest.Count(t, s.Open(t, name), "SELECT COUNT(*) FROM salt_returns"); n != 1 || st.Stats().Duplicates != 2 {
		t.Errorf("%d rows, %+v", n, st.Stats())
	}
}
