package value

// Const is a named constant of Salt's (msgpack extension 79).
type Const struct {
	Name  string
	Value any
}

// Ext is a msgpack extension of any other type, or one of Salt's that could not be
// read.
type Ext struct {
	Type int8
	Data []byte
}
